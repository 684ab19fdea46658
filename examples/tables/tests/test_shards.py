"""Tables that cannot be verified, frameworks and programs that fail, and wrong usage."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import HERE, Run, assert_right, make

import shards as module

KEYS = "--keys=keys.parquet"
TABLES = [pathlib.Path(f"ledger/part-0000{number}.parquet") for number in range(3)]


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A ledger of three tables, each of which is one of three shards."""
    return make(tmp_path_factory.mktemp("small"), "--tables=3", "--rows=50", "--keys=2")


@pytest.fixture
def verify(made, tmp_path, monkeypatch, capsys):
    """Verify a copy of a small ledger in the working directory. The framework is a function."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def run(*others, framework=in_turn, shards=3):
        arguments = ["verify", f"--shards={shards}", "ledger", "-o", "verdicts", *others]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as ended:
            module.main("", framework, lambda parser: None)
        printed = capsys.readouterr()
        lines = [json.loads(line) for line in printed.out.splitlines()]
        return Run(ended.value.code, lines, printed.err)

    return run


def in_turn(job, missing, options):
    return (module.verify_shard(job, shard) for shard in missing)


def total(done, rows, invalid=0, shards=3):
    counts = {"rows": rows, "valid": rows - invalid, "invalid": invalid}
    return {"shards": shards, "done": done, **counts, "malformed": 0, "unknown_key": 0}


def test_all_valid(verify, tmp_path):
    # Some shards have no rows.
    assert verify(KEYS, shards=7) == (0, [total(7, 150, shards=7)], "")
    assert_right(tmp_path, tmp_path / "verdicts")


def test_progress_is_shown_to_a_person(verify, monkeypatch):
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True, raising=False)
    assert verify(KEYS).errors == "\r1 of 3 shards\r2 of 3 shards\r3 of 3 shards\n"


def no_signature(path):
    pq.write_table(pq.read_table(path, partitioning=None).drop_columns(["signature"]), path)


def damaged_page(path):
    path.write_bytes(path.read_bytes().replace(path.read_bytes()[4:44], bytes(40), 1))


def damaged_end(path):
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "damage, failed, message",
    [
        (no_signature, [2], "signature"),
        (damaged_page, [2], "damaged"),
        # Without its end, a table has no known rows. Every shard says so.
        (damaged_end, [1, 2, 3], "damaged"),
    ],
)
def test_a_table_that_cannot_be_verified(damage, failed, message, verify):
    damage(TABLES[1])
    status, lines, errors = verify(KEYS)
    assert (status, lines) == (2, [total(3 - len(failed), 100)])
    shards, _, error = errors.partition(" of 3: ")
    assert shards == f"shards {failed}"
    assert json.loads(error)["path"] == str(TABLES[1])
    assert message in json.loads(error)["error"]


def test_rows_that_are_not_valid_come_before_errors(verify):
    """As in falcon-cli: status 2 says that nothing false was found."""
    damaged_page(TABLES[0])
    table = pq.read_table(TABLES[2], partitioning=None)
    pq.write_table(table.set_column(0, "message", pa.array([b"another"] * 50)), TABLES[2])
    status, (output, last), errors = verify(KEYS)
    assert (status, last) == (1, total(2, 100, invalid=50))
    assert (output["shard"], output["invalid"]) == (TABLES[2].name, 50)
    assert errors.startswith("shards [1] of 3: ")


@pytest.mark.parametrize("failures, status", [(2, 0), (3, 2)])
def test_a_framework_that_fails_is_started_again(failures, status, verify):
    calls = []

    def framework(job, missing, options):
        calls.append(missing)
        yield module.verify_shard(job, missing[0])
        if len(calls) <= failures:
            raise RuntimeError("the cluster is gone")
        yield from in_turn(job, missing[1:], options)

    result = verify(KEYS, framework=framework, shards=4)
    assert calls == [[1, 2, 3, 4], [2, 3, 4], [3, 4]]
    assert result.status == status
    assert result.errors.count("the cluster is gone") == failures
    assert ("shards [4] of 4: not run" in result.errors) == (status == 2)


def test_a_program_that_is_killed_is_started_again(verify, tmp_path):
    program = tmp_path / "program"
    program.write_text(
        """#!/bin/sh
        case "$*" in *--shard=2/3*) mkdir once 2>/dev/null && kill -KILL $$ ;; esac
        exec falcon-cli "$@"
        """
    )
    program.chmod(0o755)
    assert verify(KEYS, f"--program={program}") == (0, [total(3, 150)], "")
    assert (tmp_path / "once").exists()
    program.write_text("#!/bin/sh\nkill -KILL $$\n")
    status, _, errors = verify(KEYS, f"--program={program}")
    assert (status, errors) == (2, "shards [1, 2, 3] of 3: the program ended with status -9\n")


@pytest.mark.parametrize(
    "option, message",
    [
        ("--keys=none.parquet", "none.parquet"),
        ("--format=none", "--format"),
        ("--program=none", "No such file"),
        # Programs that end well and have verified nothing.
        ("--program=true", ""),
        ("--program=echo", "JSONDecodeError"),
    ],
)
def test_wrong_usage_is_not_an_invalid_row(option, message, verify):
    calls = []

    def framework(*arguments):
        calls.append(arguments)
        return in_turn(*arguments)

    status, lines, errors = verify(option, framework=framework)
    assert (status, lines[-1]["rows"]) == (2, 0)
    assert message in errors
    assert len(calls) == 1, "what would fail again is tried again"


def test_the_pipeline_of_the_page(tmp_path):
    page = (HERE.parent.parent / "docs" / "TABLES.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    make(tmp_path, "--tables=2", "--rows=50", "--encoded-keys", "--forge")
    code = f"LEDGER = {str(tmp_path / 'ledger')!r}\n{code}print(not_valid)\n"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "6\n", result.stderr
