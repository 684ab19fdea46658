#!/usr/bin/env python3
"""Verify a ledger with Daft: in this process, or on a Ray cluster with --ray."""

import argparse
import functools
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

try:
    import daft

    import ledger
except Exception as error:
    # Python would exit with 1, which says that a row is not valid.
    print(f"error: {error}. Install what README.md says", file=sys.stderr)
    sys.exit(2)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="run on the Ray cluster at ADDRESS, or on one that is started here: --ray local",
    )


@functools.cache
def set_runner(on_ray: bool, workers: int | None) -> None:
    """Choose the runner of Daft, which can be done once in a process."""
    if on_ray:
        daft.set_runner_ray(noop_if_initialized=True)
    else:
        daft.set_runner_native(num_threads=workers or os.cpu_count())


def start(options: argparse.Namespace) -> None:
    if options.ray:
        if options.ray != "local":
            ledger.refuse_workers(options)
        try:
            ledger.start_ray(options)
        except ModuleNotFoundError as error:
            raise ledger.LedgerError("--ray needs Ray: pip install 'ray[data]'") from error
    set_runner(bool(options.ray), options.workers)


def run(job: ledger.Job, names: list[str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    start(options)

    # One shard a call, since a worker takes whole batches.
    @daft.func.batch(return_dtype=daft.DataType.string(), batch_size=1, use_process=False)
    def verify(shards: daft.Series) -> list[str]:
        return [json.dumps(ledger.verify_shard(job, names[shard])) for shard in shards.to_pylist()]

    table = daft.from_pydict({"shard": list(range(len(names)))})
    if options.ray:
        table = table.into_partitions(len(names))
    for row in table.select(verify(table["shard"]).alias("summary")).iter_rows():
        yield json.loads(row["summary"])


if __name__ == "__main__":
    ledger.leave(ledger.main(__doc__, run, arguments))
