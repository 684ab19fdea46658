"""The package as a whole: examples of the README, docstrings, versions."""

import importlib.metadata
import inspect
import pathlib
import re

import falconsign
from falconsign import _native, arrow, det1024

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def test_the_examples_of_the_readme_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), flags=re.S)
    assert len(blocks) == 9
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), scope)
    assert capsys.readouterr().out.startswith("invalid signature\nscalar: ")
    assert (tmp_path / "my.key").stat().st_mode & 0o777 == 0o600


def test_the_example_of_the_repository_runs():
    (block,) = re.findall(
        r"```python\n(.*?)```", (PACKAGE.parents[1] / "README.md").read_text(), flags=re.S
    )
    exec(compile(block, "README.md", "exec"), {})


def test_the_version_is_that_of_the_crate():
    manifest = (PACKAGE / "Cargo.toml").read_text()
    assert f'version = "{falconsign.__version__}"' in manifest
    assert importlib.metadata.version("falconsign") == falconsign.__version__


def test_everything_public_has_a_docstring():
    public = [getattr(falconsign, name) for name in falconsign.__all__]
    public += [getattr(det1024, name) for name in det1024.__all__]
    public += [getattr(arrow, name) for name in arrow.__all__]
    seen = 0
    for value in public:
        if not (inspect.isclass(value) or callable(value) or inspect.ismodule(value)):
            continue
        assert inspect.getdoc(value), value
        for name, member in vars(value).items() if inspect.isclass(value) else ():
            if not name.startswith("_"):
                assert inspect.getdoc(member), f"{value.__name__}.{name}"
                seen += 1
    assert seen > 50


def test_classes_name_the_package_they_are_imported_from():
    assert falconsign.SigningKey.__module__ == "falconsign"
    assert det1024.SigningKey.__module__ == "falconsign.det1024"
    assert set(falconsign.__all__) <= set(dir(falconsign))
    assert _native.SigningKey is falconsign.SigningKey
