"""Refusals, layouts of the columns, and what makes a shard be verified again."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import HERE, assert_same, end, make, run, start, verdicts

import ledger as module

SCRIPT = "verify_ledger.py"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A small ledger that no test changes."""
    return make(tmp_path_factory.mktemp("small"), shards=3, rows=50, keys=2)


@pytest.fixture
def small(made, tmp_path):
    """A copy of a small ledger, and where its verdicts go."""
    shutil.copytree(made.folder, tmp_path / "ledger")
    keys = shutil.copy(made.keys, tmp_path / "keys.parquet")
    return made._replace(folder=tmp_path / "ledger", keys=tmp_path / keys)


def verify(small, *arguments):
    output = small.folder.parent / "verdicts"
    return run(SCRIPT, small.folder, "-o", output, "--keys", small.keys, *arguments), output


def rewrite(path, change):
    """Write a shard again, with a function of its table."""
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)


def test_all_valid(small):
    result, output = verify(small)
    assert result.status == 0
    assert result.output.startswith("150 rows in 3 of 3 shards: 150 valid, 0 invalid")
    assert result.errors == ""
    assert_same(verdicts(output), small.expected)


@pytest.mark.parametrize("layout", [{"encoded_keys": True}, {"parameters": "Falcon-1024"}])
@pytest.mark.parametrize("format", ["padded", "compressed", "ct"])
def test_layouts(layout, format, tmp_path):
    ledger = make(tmp_path, shards=4, rows=40, keys=3, forge=True, format=format, **layout)
    keys = [] if "encoded_keys" in layout else ["--keys", ledger.keys]
    output = tmp_path / "verdicts"
    result = run(SCRIPT, ledger.folder, "-o", output, "--format", format, *keys)
    assert result.status == 1
    assert_same(verdicts(output), ledger.expected)
    assert "4 shards" in result.output


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.cast(
            table.schema.set(0, table.schema.field(0).with_type(pa.large_binary()))
        ),
        lambda table: table.set_column(2, "key_id", table["key_id"].dictionary_encode()),
        lambda table: table.append_column("note", pa.nulls(len(table))).select([3, 2, 1, 0]),
        lambda table: table.slice(0, 0),
    ],
    ids=["large", "dictionary", "order", "empty"],
)
def test_other_columns_of_the_same_rows(change, small):
    rewrite(small.folder / "part-00001.parquet", change)
    result, _ = verify(small)
    assert result.status == 0


def test_names_that_are_numbers(small):
    keys = pq.read_table(small.keys)
    numbered = {name: number for number, name in enumerate(keys["key_id"].to_pylist())}
    pq.write_table(
        keys.set_column(0, "key_id", pa.array(numbered.values(), pa.int32())), small.keys
    )
    result, _ = verify(small)
    assert result.status == 2
    assert "the column key_id has the type string, and that of" in result.errors
    for path in small.folder.iterdir():
        rewrite(
            path,
            lambda table: table.set_column(
                2, "key_id", pa.array([numbered[name] for name in table["key_id"].to_pylist()])
            ),
        )
    result, _ = verify(small)
    assert result.status == 0


@pytest.mark.parametrize("column", ["message", "signature", "key_id"])
def test_a_missing_column(column, small):
    rewrite(small.folder / "part-00001.parquet", lambda table: table.drop_columns([column]))
    result, output = verify(small)
    assert result.status == 2
    assert f"part-00001.parquet: needs one column {column} (" in result.errors
    assert "Columns found: " in result.errors
    # The others are verified.
    assert sorted(path.name for path in output.glob("*.parquet")) == [
        "part-00000.parquet",
        "part-00002.parquet",
    ]
    assert "100 rows in 2 of 3 shards: 100 valid" in result.output


@pytest.mark.parametrize("column, place", [("message", 0), ("signature", 1), ("key_id", 2)])
def test_a_wrong_type(column, place, small):
    rewrite(
        small.folder / "part-00002.parquet",
        lambda table: table.set_column(place, column, pa.array([0.5] * len(table))),
    )
    result, _ = verify(small)
    assert result.status == 2
    assert f"part-00002.parquet: the column {column} has the type double" in result.errors


def damage_end(data):
    return data[:-100]


def damage_page(data):
    place = len(data) // 2
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda data: b"", "not a readable Parquet file"),
        (lambda data: b"no Parquet", "not a readable Parquet file"),
        (damage_end, "not a readable Parquet file"),
        (damage_page, "damaged Parquet file"),
    ],
    ids=["empty", "other", "end", "page"],
)
def test_a_damaged_file(damage, message, small):
    path = small.folder / "part-00000.parquet"
    path.write_bytes(damage(path.read_bytes()))
    result, output = verify(small)
    assert result.status == 2
    assert f"{path}: {message}" in result.errors
    assert not list(output.glob("*part-00000*")) + list(output.glob(".*"))
    assert list(json.loads((output / "summary.json").read_text())["errors"]) == [path.name]


def test_rows_that_are_not_valid_come_before_errors(small):
    """As in falcon-cli: status 2 says that nothing false was found."""
    (small.folder / "part-00000.parquet").write_bytes(b"")
    rewrite(
        small.folder / "part-00001.parquet",
        lambda table: table.set_column(0, "message", pa.array([b"another"] * len(table))),
    )
    result, _ = verify(small)
    assert result.status == 1
    assert (
        "part-00001.parquet: 50 rows are not valid: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and more"
        in result.output
    )
    assert "not a readable Parquet file" in result.errors


def test_odd_names(small):
    """They reach the terminal in ASCII, and the frameworks not at all."""
    name = b"\n99 rows: all valid \x1b[2J \xff \xc3\xa9.parquet"
    path = os.path.join(os.fsencode(small.folder), name)
    os.rename(small.folder / "part-00001.parquet", path)
    result, output = verify(small)
    assert result.status == 0
    assert os.path.exists(os.path.join(os.fsencode(output), name))
    with open(path, "wb") as file:
        columns = {f"{number}\n\x1b[2J" * 100: pa.array([1]) for number in range(500)}
        pq.write_table(pa.table(columns), file)
    result, _ = verify(small)
    assert result.status == 2
    (line,) = result.errors.splitlines()
    assert line.isascii() and line.isprintable()
    assert r"\n99 rows: all valid \u001b[2J \udcff \u00e9.parquet: needs one column" in line
    assert line.endswith(" and 480 more")
    assert len(line) < 3000
    table = pq.read_table(small.folder / "part-00000.parquet", partitioning=None)
    with open(path, "wb") as file:
        pq.write_table(table.set_column(0, "message", pa.array([b"other"] * len(table))), file)
    result, _ = verify(small)
    assert result.status == 1
    assert r"\n99 rows: all valid \u001b[2J \udcff \u00e9.parquet: 50 rows are not" in result.output
    assert "\x1b" not in result.output


def test_wrong_arguments(small, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    keys = ["--keys", small.keys]
    for arguments, message in (
        ([small.folder, "-o", tmp_path / "out"], "Name the table of keys with --keys"),
        ([tmp_path / "none", "-o", tmp_path / "out", *keys], "no such folder"),
        ([empty, "-o", tmp_path / "out", *keys], "has no Parquet files"),
        ([small.folder, "-o", small.folder / "out", *keys], "lies in the ledger"),
        ([small.folder, "-o", tmp_path / "out", "--keys", tmp_path / "none"], "No such file"),
        (
            [small.folder, "-o", tmp_path / "out", "--keys", small.folder / "part-00000.parquet"],
            "needs one column key (binary)",
        ),
        ([small.folder, "-o", tmp_path / "out", *keys, "--part", "4/3"], "only 3 parts"),
        ([small.folder, "-o", tmp_path / "out", *keys, "--workers", "0"], "from 1 on"),
        ([small.folder, *keys], "required: -o/--output"),
        (["-o", tmp_path / "out", *keys, "--ray", small.folder], "required: ledger"),
        (
            [small.folder, "-o", tmp_path / "out", *keys, "--ray", "head:6379", "--workers", "2"],
            "--workers is not for clusters",
        ),
    ):
        result = run(SCRIPT, *arguments)
        assert result.status == 2
        assert message in result.errors
        assert "Traceback" not in result.errors


def test_what_would_leave_rows_out_is_refused(small):
    other = small.folder.parent / "other"
    other.mkdir()
    shutil.copy(small.folder / "part-00000.parquet", other)
    (small.folder / "deeper").mkdir()
    for path, make_it in (
        ("linked", lambda path: path.symlink_to(other)),
        ("deeper/linked.parquet", lambda path: path.symlink_to(other)),
        ("deeper/dead.parquet", lambda path: path.symlink_to(other / "none")),
        ("pipe.parquet", os.mkfifo),
    ):
        make_it(small.folder / path)
        result, output = verify(small)
        assert result.status == 2
        what = "a link to a folder" if "linked" in path else "not a readable file"
        assert f"error: {small.folder / path}: {what}" in result.errors
        assert result.output == ""
        (small.folder / path).unlink()
    (small.folder / "_linked").symlink_to(other)
    (small.folder / "part-00003.parquet").symlink_to(other / "part-00000.parquet")
    assert verify(small)[0].output.startswith("200 rows in 4 of 4 shards: 200 valid")


def test_a_folder_that_cannot_be_listed(small, monkeypatch):
    closed = small.folder / "closed"
    closed.mkdir()
    if os.geteuid():
        closed.chmod(0)
    else:
        # For root every folder is open, so the system's answer is replaced.
        scandir = os.scandir

        def deny(path):
            if str(path) == str(closed):
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)

        monkeypatch.setattr(os, "scandir", deny)
    with pytest.raises(module.LedgerError, match="closed: Permission denied"):
        module.shards_of(small.folder)


def test_a_crash_is_not_an_invalid_row(small, tmp_path, monkeypatch, capsys):
    options = {"write_page_checksum": True, "write_statistics": False, "use_dictionary": False}
    pq.write_table(pq.read_table(small.keys), small.keys, **options)
    whole = small.keys.read_bytes()
    small.keys.write_bytes(damage_page(whole))
    result, output = verify(small)
    assert result.status == 2
    assert result.errors.startswith(f"error: {small.keys}: damaged Parquet file: ")
    small.keys.write_bytes(whole)
    output.write_text("a file")
    result, _ = verify(small)
    assert result.status == 2
    assert f"error: {output}: not a folder" in result.errors

    def fail(*_):
        raise MemoryError("no memory")

    monkeypatch.setattr(module, "_run", fail)
    monkeypatch.setattr("sys.argv", ["verify", str(small.folder), "-o", str(output)])
    assert module.main("", fail, lambda parser: None) == 2
    assert capsys.readouterr().err == "error: MemoryError: no memory\n"


@pytest.mark.parametrize(
    "script", ["verify_ledger.py", "verify_ledger_ray.py", "verify_ledger_spark.py"]
)
def test_a_framework_that_cannot_be_imported(script, tmp_path):
    for name in ("daft", "ray", "pyspark"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('a part is missing')")
    result = subprocess.run(
        [sys.executable, HERE / script, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert result.returncode == 2
    assert result.stderr == "error: a part is missing. Install what README.md says\n"


def test_keys_that_are_malformed_or_named_twice(small):
    keys = pq.read_table(small.keys).to_pylist()
    names = [key["key_id"] for key in keys]

    def write(rows):
        pq.write_table(pa.Table.from_pylist(rows), small.keys)

    write([keys[0], {"key_id": names[1], "key": b"no key"}])
    result, output = verify(small)
    assert result.status == 1
    assert "75 valid, 0 invalid, 0 malformed, 75 unknown key" in result.output
    write([*keys, keys[0]])
    assert verify(small)[0].status == 0
    write([*keys, {"key_id": names[0], "key": keys[1]["key"]}])
    result, _ = verify(small)
    assert result.status == 2
    assert f"key_id '{names[0]}' has two keys" in result.errors


def test_what_changed_is_verified_again(small):
    assert verify(small)[0].status == 0
    result, output = verify(small)
    assert "3 of these shards had been verified before" in result.output
    # A shard.
    path = small.folder / "part-00001.parquet"
    before = (output / path.name).stat().st_mtime_ns
    rewrite(path, lambda table: table)
    result, _ = verify(small)
    assert "2 of these shards had been verified before" in result.output
    assert (output / path.name).stat().st_mtime_ns > before
    # A shard of the same size and time.
    times = path.stat().st_mtime_ns
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(times, times))
    result, _ = verify(small)
    assert "2 of these shards had been verified before" in result.output
    # The version of falcon-sign.
    summary = output / "part-00001.parquet.json"
    text = summary.read_text()
    assert text.count('"falcon_sign": "') == 1
    summary.write_text(text.replace('"falcon_sign": "', '"falcon_sign": "0.'))
    result, _ = verify(small)
    assert "2 of these shards had been verified before" in result.output
    # An output that is gone, or cut.
    (output / "part-00000.parquet").unlink()
    (output / "part-00002.parquet.json").write_text("{")
    result, _ = verify(small)
    assert "1 of these shards had been verified before" in result.output
    # An output of another run.
    summary = output / "part-00000.parquet.json"
    summary.write_text(summary.read_text().replace('"output_sha256": "', '"output_sha256": "0'))
    result, _ = verify(small)
    assert "2 of these shards had been verified before" in result.output
    # The keys: the second signer has the first one's key.
    keys = pq.read_table(small.keys).to_pylist()
    keys[1]["key"] = keys[0]["key"]
    pq.write_table(pa.Table.from_pylist(keys), small.keys)
    result, _ = verify(small)
    assert "75 valid, 75 invalid" in result.output
    assert "before" not in result.output
    # A request.
    assert "before" not in verify(small, "--again")[0].output


@pytest.mark.parametrize("arguments", [(), ("--part", "2/3")], ids=["whole", "part"])
def test_an_older_output_of_a_shard_is_removed(arguments, small):
    assert verify(small)[0].status == 0
    (small.folder / "part-00001.parquet").write_bytes(b"damaged")
    result, output = verify(small, *arguments)
    assert result.status == 2
    assert not list(output.glob("part-00001.*"))
    # The summary of the whole is not that of the earlier run.
    if arguments:
        assert not (output / "summary.json").exists()
        assert json.loads((output / "summary-2-of-3.json").read_text())["rows"] == 0
    else:
        assert json.loads((output / "summary.json").read_text())["rows"] == 100


def test_a_run_that_ends_early_leaves_no_older_summary(small, monkeypatch):
    assert verify(small)[0].status == 0
    output = small.folder.parent / "verdicts"

    def stop(*_):
        raise KeyboardInterrupt

    arguments = ("verify", small.folder, "-o", output, "--keys", small.keys, "--again")
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    assert module.main("", stop, lambda parser: None) == 130
    assert list(output.iterdir()) == []


def test_ctrl_c(tmp_path):
    ledger = make(tmp_path, shards=6, rows=50_000, keys=1)
    output = tmp_path / "verdicts"
    arguments = (SCRIPT, ledger.folder, "-o", output, "--keys", ledger.keys, "--workers", "1")
    for _ in range(3):
        process = start(*arguments, "--again")
        deadline = time.monotonic() + 60
        while not (output.is_dir() and list(output.glob(".*.tmp"))):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        result = end(process)
        assert result.status == 130
        assert result.errors.endswith("stopped. Run the command again to go on\n")
        assert not list(output.glob(".*"))
    assert run(*arguments).status == 0
    assert_same(verdicts(output), ledger.expected)


@pytest.mark.parametrize(
    "name", ["part-00001.parquet", "part-00001.parquet.json", "part-00002.parquet", "summary.json"]
)
def test_files_of_others_are_not_replaced(name, small):
    output = small.folder.parent / "verdicts"
    output.mkdir()
    if name == "part-00002.parquet":
        data = b"no Parquet"
    elif name.endswith(".json"):
        data = b'{"rows": 1}'
    else:
        data = (small.folder / name).read_bytes()
    (output / name).write_bytes(data)
    for arguments in ((), ("--again",)):
        result, _ = verify(small, *arguments)
        assert result.status == 2
        assert f"error: {output / name}: not an output of this script" in result.errors
        assert [path.name for path in output.iterdir()] == [name]
        assert (output / name).read_bytes() == data


def test_an_output_that_contains_the_ledger(small):
    before = (small.folder / "part-00000.parquet").read_bytes()
    for output in (small.folder.parent, small.folder):
        result = run(SCRIPT, small.folder, "-o", output, "--keys", small.keys)
        assert result.status == 2
        assert "the ledger. Name another folder with -o" in result.errors
    assert not (small.folder.parent / "summary.json").exists()
    assert (small.folder / "part-00000.parquet").read_bytes() == before


def test_parts_are_the_whole(small):
    (small.folder / "deeper").mkdir()
    os.rename(small.folder / "part-00002.parquet", small.folder / "deeper" / "part.parquet")
    (small.folder / "_temporary").mkdir()
    (small.folder / "_temporary" / "part.parquet").write_bytes(b"not a shard")
    for part in ("1/2", "2/2"):
        result, output = verify(small, "--part", part)
        assert result.status == 0
    assert json.loads((output / "summary-1-of-2.json").read_text())["rows"] == 100
    assert json.loads((output / "summary-2-of-2.json").read_text())["rows"] == 50
    assert not (output / "summary.json").exists()
    assert sum(verdicts(output).values()) == 150
    assert (output / "deeper" / "part.parquet").exists()
    result, _ = verify(small)
    assert "3 of these shards had been verified before" in result.output


def flaky(failures, at):
    """A framework that stops with an error, after `at` shards, as often as told."""
    calls = []

    def framework(job, names, options):
        calls.append(list(names))
        for number, name in enumerate(names):
            if len(calls) <= failures and number == at:
                raise RuntimeError("the cluster is gone")
            yield module.verify_shard(job, name)

    return framework, calls


@pytest.mark.parametrize("failures, status", [(0, 0), (2, 0), (3, 2)])
def test_a_framework_that_fails_is_started_again(failures, status, small, monkeypatch, capsys):
    framework, calls = flaky(failures, 0)
    output = small.folder.parent / "verdicts"
    arguments = map(str, ("verify", small.folder, "-o", output, "--keys", small.keys))
    monkeypatch.setattr("sys.argv", list(arguments))
    assert module.main("", framework, lambda parser: None) == status
    assert len(calls) == min(failures + 1, module.ATTEMPTS)
    printed = capsys.readouterr()
    assert printed.err.count("the cluster is gone") == failures
    assert ("not verified. Run the command again" in printed.err) == (status == 2)


def test_daft_is_started_again(small, monkeypatch, capsys):
    """An exception in a worker ends the first attempt. No process dies."""
    import verify_ledger

    calls = []
    verify_shard = module.verify_shard

    def fails_once(job, name):
        calls.append(name)
        if len(calls) == 1:
            raise RuntimeError("no more rows")
        return verify_shard(job, name)

    monkeypatch.setattr(module, "verify_shard", fails_once)
    output = small.folder.parent / "verdicts"
    arguments = ("verify", small.folder, "-o", output, "--keys", small.keys, "--workers", "1")
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    assert module.main("", verify_ledger.run, verify_ledger.arguments) == 0
    errors = capsys.readouterr().err
    assert "attempt 1 of 3" in errors and "no more rows" in errors
    assert "attempt 2" not in errors
    assert_same(verdicts(output), small.expected)


def test_again_trusts_no_older_output(small, monkeypatch, capsys):
    assert verify(small)[0].status == 0
    framework, calls = flaky(1, 2)
    output = small.folder.parent / "verdicts"
    arguments = ("verify", small.folder, "-o", output, "--keys", small.keys, "--again")
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    assert module.main("", framework, lambda parser: None) == 0
    assert [len(names) for names in calls] == [3, 1]


def test_ray_that_is_not_installed(small, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    import verify_ledger

    output = small.folder.parent / "verdicts"
    arguments = ("verify", small.folder, "-o", output, "--keys", small.keys, "--ray", "local")
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    assert module.main("", verify_ledger.run, verify_ledger.arguments) == 2
    assert capsys.readouterr().err == "error: --ray needs Ray: pip install 'ray[data]'\n"


def test_shards_that_a_framework_finished_before_it_failed_are_kept(small, monkeypatch, capsys):
    calls = []

    def framework(job, names, options):
        calls.append(len(names))
        for name in names[:2]:
            module.verify_shard(job, name)
        raise RuntimeError("the cluster is gone")

    output = small.folder.parent / "verdicts"
    arguments = map(str, ("verify", small.folder, "-o", output, "--keys", small.keys))
    monkeypatch.setattr("sys.argv", list(arguments))
    assert module.main("", framework, lambda parser: None) == 0
    assert calls == [3, 1]
    assert_same(verdicts(output), small.expected)


def test_keys_that_changed_since_the_work_began_verify_nothing(small):
    """A worker reads the table of keys later than the script does."""
    output = small.folder.parent / "verdicts"
    digest = module.load_keys(str(small.keys)).digest
    job = module.Job(str(small.folder), str(output), str(small.keys), digest, "padded", 1)
    module._loaded.clear()
    rewrite(small.keys, lambda table: table.slice(1))
    assert "changed since the work began" in module.verify_shard(job, "part-00000.parquet")["error"]
    assert not list(output.glob("*"))


def test_parts_that_find_other_shards_do_not_share_a_folder(small):
    assert verify(small, "--part", "1/2")[0].status == 0
    added = small.folder / "0.parquet"
    added.write_bytes((small.folder / "part-00000.parquet").read_bytes())
    result, output = verify(small, "--part", "2/2")
    assert result.status == 2
    assert "summary-1-of-2.json: belongs to other shards" in result.errors
    assert not (output / "0.parquet").exists()
    added.unlink()
    assert verify(small, "--part", "2/2")[0].status == 0


def test_temporary_files_of_dead_workers_are_removed_and_no_others(small):
    output = small.folder.parent / "verdicts"
    output.mkdir()
    digits = "0123456789abcdef" * 2
    dead = [f".part-00001.parquet.{digits}.tmp", f".part-00001.parquet.json.{digits}.tmp"]
    other = [f".notes.{digits}.tmp", ".part-00001.parquet.0.tmp"]
    for name in dead + other:
        (output / name).write_bytes(b"x")
    assert verify(small)[0].status == 0
    names = {path.name for path in output.iterdir()}
    assert names.isdisjoint(dead) and names.issuperset(other)


def test_a_shard_that_changes_while_it_is_read(small, monkeypatch):
    keys = str(small.keys)
    output = small.folder.parent / "verdicts"
    digest = module.load_keys(keys).digest
    job = module.Job(str(small.folder), str(output), keys, digest, "padded", 1)
    verdicts = module.verdicts

    def slow(batch, job):
        os.utime(small.folder / "part-00000.parquet", (1, 1))
        return verdicts(batch, job)

    monkeypatch.setattr(module, "verdicts", slow)
    assert "changed while it was read" in module.verify_shard(job, "part-00000.parquet")["error"]
    assert list(output.iterdir()) == []


def test_a_shard_that_is_replaced_while_it_is_read(small, monkeypatch):
    keys = str(small.keys)
    output = small.folder.parent / "verdicts"
    digest = module.load_keys(keys).digest
    job = module.Job(str(small.folder), str(output), keys, digest, "padded", 1)
    verdicts = module.verdicts

    def slow(batch, job):
        os.replace(small.folder / "part-00001.parquet", small.folder / "part-00000.parquet")
        return verdicts(batch, job)

    monkeypatch.setattr(module, "verdicts", slow)
    assert "changed while it was read" in module.verify_shard(job, "part-00000.parquet")["error"]


def test_the_table_of_keys_is_read_once(small, monkeypatch, capsys):
    """Its digest is that of the keys that verified, even if the file changes."""
    data = small.keys.read_bytes()
    read = module.pathlib.Path.read_bytes

    def read_and_replace(path):
        found = read(path)
        if path == small.keys:
            path.write_bytes(b"other keys")
        return found

    monkeypatch.setattr(module.pathlib.Path, "read_bytes", read_and_replace)
    output = small.folder.parent / "verdicts"
    arguments = ("verify", small.folder, "-o", output, "--keys", small.keys)
    monkeypatch.setattr("sys.argv", list(map(str, arguments)))
    framework, _ = flaky(0, 0)
    assert module.main("", framework, lambda parser: None) == 0
    summary = json.loads((output / "part-00002.parquet.json").read_text())
    assert summary["keys_sha256"] == hashlib.sha256(data).hexdigest()


def test_memory_does_not_grow_with_the_shard(tmp_path):
    """A row group of 200 MB is read in batches of 4 MB."""
    (tmp_path / "ledger").mkdir()
    rows, message = 200_000, bytes(1000)
    table = pa.table(
        {
            "message": pa.array([message] * rows, pa.binary()),
            "signature": pa.array([b"short"] * rows, pa.binary()),
            "key": pa.array([b"no key"] * rows, pa.binary()),
        }
    )
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(table, tmp_path / "ledger" / "part.parquet", row_group_size=rows, **options)
    code = f"""
import pathlib, re, sys; sys.path.insert(0, {str(HERE)!r})
import ledger
ledger.BATCH_ROWS = 4096
status = pathlib.Path("/proc/self/status")
peak = lambda: int(re.search("VmHWM:[^0-9]*([0-9]+)", status.read_text())[1]) << 10
before = peak()
job = ledger.Job({str(tmp_path / "ledger")!r}, {str(tmp_path / "out")!r}, None, None, "padded", 1)
print(ledger.verify_shard(job, "part.parquet")["rows"], peak() - before)
"""
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    found, more = map(int, result.stdout.split())
    print(f"{more} bytes more")
    assert found == rows
    assert more < 200_000_000


def test_the_pipeline_of_the_page(tmp_path):
    page = (HERE.parent.parent / "docs" / "TABLES.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    ledger = make(tmp_path, shards=2, rows=50, encoded_keys=True, forge=True)
    script = tmp_path / "page.py"
    script.write_text(f"LEDGER = {str(ledger.folder)!r}\n{code}print(not_valid)\n")
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert result.stdout == "6\n"
