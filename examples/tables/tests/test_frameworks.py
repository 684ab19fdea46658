"""Every framework, with a worker or the script itself killed amid the work."""

import contextlib
import os
import signal
import subprocess

import pytest
from conftest import (
    ROWS,
    SHARDS,
    TABLES,
    end,
    of,
    outputs,
    parent,
    programs,
    start,
    stop_a_program,
    until,
)

DAFT, RAY, SPARK = "verify_ledger_daft.py", "verify_ledger_ray.py", "verify_ledger_spark.py"


def check(result, output, undisturbed, was_killed=False):
    """The outputs are byte for byte those of the program alone."""
    assert result.status == 1
    assert "attempt" not in result.errors, "the framework gave up"
    found = {name: data for name, (data, _) in outputs(output).items()}
    assert found == {name: data for name, (data, _) in undisturbed.items()}
    assert all(name.suffix == ".parquet" for name in output.iterdir())
    reports = output.with_name(f"{output.name}.reports")
    assert was_killed or not list(reports.glob(".*")), "temporary files are left"
    total = result.lines[-1]
    assert (total["shards"], total["done"], total["rows"]) == (SHARDS, SHARDS, TABLES * ROWS)
    # The first, the middle and the last row of each table are forged.
    assert total["rows"] - total["valid"] == 3 * TABLES
    assert sum(len(line["first_not_valid"]) for line in result.lines[:-1]) == 3 * TABLES


@pytest.mark.parametrize("script", [DAFT, RAY, SPARK])
def test_the_framework_on_this_machine(script, ledger, undisturbed, tmp_path):
    result = end(start(script, ledger, tmp_path))
    check(result, tmp_path, undisturbed)


def go_on(program):
    """Continue a stopped program, if the framework has not ended it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(program, signal.SIGCONT)


@pytest.mark.parametrize("script", [DAFT, RAY])
def test_ray_with_a_worker_killed(script, ledger, undisturbed, ray_cluster, tmp_path):
    process = start(script, ledger, tmp_path, "--ray", ray_cluster)
    worker, program, _ = stop_a_program(tmp_path)
    assert worker != process.pid
    os.kill(worker, signal.SIGKILL)
    go_on(program)
    check(end(process), tmp_path, undisturbed, was_killed=True)


def test_spark_with_an_executor_killed(ledger, undisturbed, tmp_path):
    process = start(SPARK, ledger, tmp_path, "--master", "local-cluster[2,1,1024]")
    executor, program, _ = stop_a_program(tmp_path)
    while "CoarseGrainedExecutorBackend" not in of(executor, "cmdline"):
        executor = parent(executor)
        assert executor > 1, "no executor is above the worker"
    os.kill(executor, signal.SIGKILL)
    go_on(program)
    check(end(process), tmp_path, undisturbed, was_killed=True)


def test_a_program_that_runs_on(ledger, undisturbed, tmp_path):
    """As if a framework had given up on a worker: two programs make the same output."""
    arguments = [ledger / "ledger", "--keys", ledger / "keys.parquet", "-o", tmp_path]
    arguments += ["--quiet", "--threads=1", f"--shard=1/{SHARDS}"]
    first = subprocess.Popen(["falcon-cli", "verify-table", *arguments])
    _, _, shard = stop_a_program(tmp_path, least=0)
    process = start(DAFT, ledger, tmp_path)
    _, second, _ = stop_a_program(tmp_path, 0, other_than=first.pid, wanted=shard)
    first.send_signal(signal.SIGCONT)
    assert first.wait() == 1
    os.kill(second, signal.SIGCONT)
    # The second one fails, and its shard is tried again.
    check(end(process), tmp_path, undisturbed)


def test_the_script_killed_and_started_again(ledger, undisturbed, tmp_path):
    process = start(DAFT, ledger, tmp_path)
    worker, program, _ = stop_a_program(tmp_path, least=2)
    assert worker == process.pid
    os.kill(worker, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    os.kill(program, signal.SIGCONT)
    until(lambda: not list(programs(tmp_path)))
    before = outputs(tmp_path)
    assert 2 <= len(before) < SHARDS
    check(end(start(DAFT, ledger, tmp_path)), tmp_path, undisturbed)
    after = outputs(tmp_path)
    # An output and its summary are two files: each program may have ended between them.
    again = [name for name, made in before.items() if after[name] != made]
    assert len(again) <= os.cpu_count()
    check(end(start(DAFT, ledger, tmp_path)), tmp_path, undisturbed)
    assert outputs(tmp_path) == after


def test_ctrl_c(ledger, undisturbed, tmp_path):
    process = start(DAFT, ledger, tmp_path)
    _, program, _ = stop_a_program(tmp_path)
    process.send_signal(signal.SIGINT)
    os.kill(program, signal.SIGCONT)
    result = end(process)
    assert result.status == 130
    assert result.errors.endswith("stopped. Run the command again to go on\n")
    until(lambda: not list(programs(tmp_path)))
    assert len(outputs(tmp_path)) < SHARDS
    check(end(start(DAFT, ledger, tmp_path)), tmp_path, undisturbed)
