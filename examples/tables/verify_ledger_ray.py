#!/usr/bin/env python3
"""Verify a ledger with Ray Data, on this machine or on a cluster."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

try:
    import ray

    import ledger
except Exception as error:
    # Python would exit with 1, which says that a row is not valid.
    print(f"error: {error}. Install what README.md says", file=sys.stderr)
    sys.exit(2)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        default="local",
        metavar="ADDRESS",
        help="address of the Ray cluster (default: start one here)",
    )


def run(job: ledger.Job, names: list[str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    ledger.start_ray(options)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def verify(row: dict[str, Any]) -> dict[str, Any]:
        return {"summary": json.dumps(ledger.verify_shard(job, names[row["shard"]]))}

    # One shard a task, so that a task that is lost is one shard.
    shards = [{"shard": shard} for shard in range(len(names))]
    table = ray.data.from_items(shards, override_num_blocks=len(names))
    workers = ray.data.TaskPoolStrategy(size=options.workers)
    for row in table.map(verify, num_cpus=job.threads, compute=workers).iter_rows():
        yield json.loads(row["summary"])


if __name__ == "__main__":
    ledger.leave(ledger.main(__doc__, run, arguments))
