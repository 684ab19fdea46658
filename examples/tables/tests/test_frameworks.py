"""Every framework, with a worker or the script itself killed amid the work."""

import json
import os
import pathlib
import signal

import pytest
from conftest import (
    ROWS,
    SHARDS,
    assert_same,
    end,
    finished,
    parent,
    run,
    start,
    stop_a_worker,
    verdicts,
)


def test_the_comparison_notices_every_change(undisturbed):
    assert_same(undisturbed, undisturbed)
    row = next(iter(undisturbed))
    lost = undisturbed.copy()
    del lost[row]
    twice = undisturbed.copy()
    twice[row] += 1
    flipped = undisturbed.copy()
    del flipped[row]
    flipped[*row[:2], 1 - row[2]] = 1
    more = undisturbed.copy()
    more["other.parquet", 0, 0] = 1
    for found, message in (
        (lost, "lost"),
        (twice, "twice"),
        (flipped, "other verdicts"),
        (more, "should not be there"),
    ):
        with pytest.raises(AssertionError, match=message):
            assert_same(found, undisturbed)


def test_forged_rows_of_every_shard_are_found(ledger, undisturbed):
    assert_same(undisturbed, ledger.expected)
    found = {row[:2] for row in undisturbed if row[2] != 0}
    places = (0, ROWS // 2, ROWS - 1)
    shards = {row[0] for row in undisturbed}
    assert len(shards) == SHARDS
    assert found == {(shard, place) for shard in shards for place in places}


def check(result, ledger, output, undisturbed):
    assert result.status == 1
    assert "attempt" not in result.errors, "the framework gave up"
    assert_same(verdicts(output), undisturbed)
    assert not list(output.glob(".*")), "temporary files are left"
    summary = json.loads((output / "summary.json").read_text())
    assert (summary["shards"], summary["rows"]) == (SHARDS, SHARDS * ROWS)
    assert summary["rows"] - summary["valid"] == 3 * SHARDS
    assert summary["errors"] == {}


def kill(worker, shard, output):
    """Kill a process that is stopped, and show that its shard was not finished."""
    assert shard not in finished(output)
    print(f"killing {worker}, which writes {shard}")
    os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize("script", ["verify_ledger.py", "verify_ledger_ray.py"])
def test_ray_with_a_worker_killed(script, ledger, undisturbed, ray_cluster, tmp_path):
    process = start(
        script, ledger.folder, "-o", tmp_path, "--keys", ledger.keys, "--ray", ray_cluster
    )
    worker, shard = stop_a_worker(tmp_path, process)
    assert worker != process.pid
    kill(worker, shard, tmp_path)
    check(end(process), ledger, tmp_path, undisturbed)


def test_spark_with_an_executor_killed(ledger, undisturbed, tmp_path):
    process = start(
        "verify_ledger_spark.py",
        *(ledger.folder, "-o", tmp_path, "--keys", ledger.keys),
        *("--master", "local-cluster[2,1,1024]"),
    )
    worker, shard = stop_a_worker(tmp_path, process)
    executor = worker
    while "CoarseGrainedExecutorBackend" not in command(executor):
        executor = parent(executor)
        assert executor > 1, "no executor is above the worker"
    kill(executor, shard, tmp_path)
    # The worker lives on. It may write the shard while another one does.
    os.kill(worker, signal.SIGCONT)
    check(end(process), ledger, tmp_path, undisturbed)


def command(process):
    return pathlib.Path(f"/proc/{process}/cmdline").read_text()


@pytest.mark.parametrize(
    "script", ["verify_ledger.py", "verify_ledger_ray.py", "verify_ledger_spark.py"]
)
def test_the_framework_on_this_machine(script, ledger, undisturbed, tmp_path):
    result = run(script, ledger.folder, "-o", tmp_path, "--keys", ledger.keys, "--workers", "2")
    check(result, ledger, tmp_path, undisturbed)


def test_the_script_killed_and_started_again(ledger, undisturbed, tmp_path):
    arguments = "verify_ledger.py", ledger.folder, "-o", tmp_path, "--keys", ledger.keys
    process = start(*arguments)
    worker, shard = stop_a_worker(tmp_path, process, least=2)
    assert worker == process.pid
    kill(worker, shard, tmp_path)
    assert end(process).status == -signal.SIGKILL
    before = finished(tmp_path)
    assert 2 <= len(before) < SHARDS
    assert list(tmp_path.glob(f".{shard}.*.tmp")), "the worker was not killed amid a shard"
    assert not (tmp_path / "summary.json").exists()

    result = run(*arguments)
    check(result, ledger, tmp_path, undisturbed)
    # Its verdicts and its summary are two files: it may have been killed between them.
    skipped = json.loads((tmp_path / "summary.json").read_text())["skipped"]
    assert len(before) - 2 <= skipped <= len(before)
    assert f"{skipped} of these shards had been verified before" in result.output
    after = finished(tmp_path)
    assert sum(after[name] == made for name, made in before.items()) == skipped

    result = run(*arguments)
    assert f"{SHARDS} of these shards had been verified before" in result.output
    assert finished(tmp_path) == after
    assert result.status == 1
