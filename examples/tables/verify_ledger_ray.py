#!/usr/bin/env python3
"""Verify a ledger with Ray Data, on this machine or on a cluster."""

import argparse
from collections.abc import Iterator
from typing import Any

import shards


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        default="local",
        metavar="ADDRESS",
        help="address of the Ray cluster (default: start one here)",
    )


def run(job: shards.Job, missing: list[int], options: argparse.Namespace) -> Iterator[str]:
    import ray

    shards.start_ray(options.ray)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def verify(row: dict[str, Any]) -> dict[str, Any]:
        return {"result": shards.verify_shard(job, int(row["item"]))}

    # One shard a task, so that a task that is lost is one shard.
    table = ray.data.from_items(missing, override_num_blocks=len(missing))
    for row in table.map(verify, num_cpus=1).iter_rows():
        yield row["result"]


if __name__ == "__main__":
    shards.main(__doc__, run, arguments)
