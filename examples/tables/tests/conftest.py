"""A ledger, runs of the scripts, and a comparison of their outputs."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))
TABLES, ROWS, SHARDS = 5, 100_000, 10
"""Each table has two row groups, each of which is a shard."""


class Run(NamedTuple):
    status: int
    lines: list
    """JSON of standard output. The last line is the sum."""
    errors: str


def make(folder, *options):
    """Make folder/ledger, folder/keys.parquet and folder/expected.json."""
    subprocess.run(["falcon-cli", "--quiet", "make-table", folder, *options], check=True)
    return folder


def start(script, folder, output, *options):
    arguments = [folder / "ledger", "--keys", folder / "keys.parquet", "-o", output]
    return subprocess.Popen(
        [sys.executable, HERE / script, f"--shards={SHARDS}", *arguments, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Shells start jobs in the background with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def end(process):
    output, errors = process.communicate(timeout=240)
    print(output, errors)
    # Daft prints lines, too.
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return Run(process.returncode, lines, errors)


def outputs(folder):
    """Bytes and times of all outputs, by name."""
    paths = folder.glob("*.parquet")
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def assert_right(folder, verdicts):
    """Every row of a ledger has its verdict, none is lost, and none is there twice."""
    made = json.loads((folder / "expected.json").read_text())
    expected = collections.Counter(
        (table, row, forged.get(str(row), 0))
        for table, forged in made["shards"].items()
        for row in range(made["rows"])
    )
    found = collections.Counter()
    for path in verdicts.glob("*.parquet"):
        columns = pq.read_table(path, partitioning=None).to_pydict()
        table = path.name.partition(".")[0] + ".parquet"
        found.update((table, *row) for row in zip(columns["row"], columns["verdict"], strict=True))
    for more in (found - expected, expected - found):
        assert not more, f"{len(more)} rows, such as {sorted(more)[:5]}"


def programs(output):
    """Number and shard of each program that writes to a folder."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = of(entry.name, "cmdline").split("\0")
        except OSError:
            continue
        if words[0].endswith("falcon-cli") and str(output) in words:
            yield int(entry.name), next(word for word in words if word.startswith("--shard="))


def is_writing(program, output):
    """True if a program has the temporary file of an output open."""
    try:
        opened = [os.readlink(entry) for entry in pathlib.Path(f"/proc/{program}/fd").iterdir()]
    except OSError:
        return False
    return any(path.startswith(f"{output}.reports/.falcon-") for path in opened)


def until(condition):
    """Wait for a true value of a function, and return it."""
    deadline = time.monotonic() + 240
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return value


def stop_a_program(output, least=1, other_than=None, wanted=""):
    """Stop a program amid an output, after `least` outputs are there.

    Return the numbers of its worker and of itself, and its shard, which is `wanted` if given.
    """

    def stopped():
        for program, shard in programs(output) if len(outputs(output)) >= least else ():
            if program != other_than and wanted in shard and is_writing(program, output):
                os.kill(program, signal.SIGSTOP)
                if is_writing(program, output):
                    return parent(program), program, shard
                os.kill(program, signal.SIGCONT)
        return None

    return until(stopped)


def of(process, name):
    """Text of a file of /proc."""
    return pathlib.Path(f"/proc/{process}/{name}").read_text(errors="replace")


def parent(process):
    """Number of the parent of a process."""
    return int(of(process, "stat").rpartition(")")[2].split()[1])


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    sizes = [f"--tables={TABLES}", f"--rows={ROWS}", f"--group-rows={ROWS // 2}"]
    return make(tmp_path_factory.mktemp("ledger"), *sizes, "--forge")


@pytest.fixture(scope="session")
def undisturbed(ledger, tmp_path_factory):
    """Outputs of the program alone, run for one shard after the other."""
    output = tmp_path_factory.mktemp("undisturbed")
    command = ["falcon-cli", "verify-table", ledger / "ledger", "--keys", ledger / "keys.parquet"]
    for shard in range(1, SHARDS + 1):
        run = subprocess.run([*command, "-o", output, f"--shard={shard}/{SHARDS}", "--quiet"])
        assert run.returncode == 1
    assert_right(ledger, output)
    return outputs(output)


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
