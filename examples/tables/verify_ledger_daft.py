#!/usr/bin/env python3
"""Verify a ledger with Daft: in this process, or on a Ray cluster with --ray."""

import argparse
import functools
from collections.abc import Iterator

import shards


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="run on the Ray cluster at ADDRESS, or on one that is started here: --ray local",
    )


@functools.cache
def set_runner(on_ray: bool) -> None:
    """Choose the runner of Daft, which can be done once in a process."""
    import daft

    if on_ray:
        daft.set_runner_ray(noop_if_initialized=True)
    else:
        daft.set_runner_native()


def run(job: shards.Job, missing: list[int], options: argparse.Namespace) -> Iterator[str]:
    import daft

    if options.ray:
        shards.start_ray(options.ray)
    set_runner(bool(options.ray))

    # One shard a call, since a worker takes whole batches.
    @daft.func.batch(return_dtype=daft.DataType.string(), batch_size=1, use_process=False)
    def verify(numbers: daft.Series) -> list[str]:
        return [shards.verify_shard(job, shard) for shard in numbers.to_pylist()]

    table = daft.from_pydict({"shard": missing})
    if options.ray:
        table = table.into_partitions(len(missing))
    for row in table.select(verify(table["shard"]).alias("result")).iter_rows():
        yield row["result"]


if __name__ == "__main__":
    shards.main(__doc__, run, arguments)
