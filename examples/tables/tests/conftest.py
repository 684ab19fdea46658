"""A ledger, runs of the scripts, and a comparison of their verdicts."""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))
SHARDS, ROWS = 10, 50_000
TEMPORARY = re.compile(r"\.(.+\.parquet)\.[0-9a-f]{32}\.tmp")
"""Name under which the verdicts of a shard are written."""


class Ledger(NamedTuple):
    folder: pathlib.Path
    keys: pathlib.Path
    expected: collections.Counter


class Run(NamedTuple):
    status: int
    output: str
    errors: str


def make(folder, **options):
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    arguments = [argument.removesuffix("=True") for argument in arguments]
    subprocess.run([sys.executable, HERE / "make_ledger.py", folder, *arguments], check=True)
    text = json.loads((folder / "expected.json").read_text())
    expected = collections.Counter(
        (shard, row, forged.get(str(row), 0))
        for shard, forged in text["shards"].items()
        for row in range(text["rows"])
    )
    return Ledger(folder / "ledger", folder / "keys.parquet", expected)


def interruptible():
    """Shells start jobs in the background with SIGINT ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, HERE / script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    )


def end(process):
    output, errors = process.communicate(timeout=240)
    print(output, errors)
    return Run(process.returncode, output, errors)


def run(*arguments):
    return end(start(*arguments))


def verdicts(folder):
    """Multiset of (shard, row, verdict) of all files of verdicts."""
    rows = collections.Counter()
    for path in folder.rglob("*.parquet"):
        table = pq.read_table(path, partitioning=None)
        name = path.relative_to(folder).as_posix()
        rows.update((name, *row) for row in zip(*table.to_pydict().values(), strict=True))
    return rows


def assert_same(found, expected):
    """Every row has its verdict, none is lost, and none is there twice."""
    twice = [row for row, count in found.items() if count > 1]
    assert not twice, f"{len(twice)} rows are there twice: {sorted(twice)[:5]}"
    lost = expected.keys() - found.keys()
    assert not lost, f"{len(lost)} rows are lost or have other verdicts: {sorted(lost)[:5]}"
    more = found.keys() - expected.keys()
    assert not more, f"{len(more)} rows should not be there: {sorted(more)[:5]}"
    assert found == expected


def finished(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}


def stop_a_worker(folder, process, least=1):
    """Stop a process that is writing a shard, after `least` shards are finished.

    Return its number and the shard.
    """
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, "the script ended before a worker was stopped"
        if len(finished(folder)) < least or not list(folder.glob(".*.parquet.*.tmp")):
            time.sleep(0.001)
            continue
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and (shard := being_written(entry, folder)):
                worker = int(entry.name)
                os.kill(worker, signal.SIGSTOP)
                if being_written(entry, folder) == shard:
                    return worker, shard
                os.kill(worker, signal.SIGCONT)
    raise AssertionError("no worker wrote a shard")


def being_written(entry, folder):
    """Name of the shard for which a process has a temporary file open, if it has."""
    try:
        for descriptor in (entry / "fd").iterdir():
            target = pathlib.Path(os.readlink(descriptor))
            name = TEMPORARY.fullmatch(target.name)
            if target.parent == folder and name:
                return name[1]
    except OSError:
        pass
    return None


def parent(process):
    """Number of the parent of a process."""
    status = pathlib.Path(f"/proc/{process}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    return make(folder, shards=SHARDS, rows=ROWS, forge=True)


@pytest.fixture(scope="session")
def undisturbed(ledger, tmp_path_factory):
    """Verdicts of a run in one process that nobody disturbed."""
    output = tmp_path_factory.mktemp("undisturbed")
    result = run("verify_ledger.py", ledger.folder, "-o", output, "--keys", ledger.keys)
    assert result.status == 1
    return verdicts(output)


@pytest.fixture(scope="session")
def ray_cluster():
    """Address of a cluster of three workers, each with one core."""
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 100_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(**node)
    yield cluster.address
    cluster.shutdown()
