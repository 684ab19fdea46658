#!/usr/bin/env python3
"""Verify a ledger with Daft: in this process, or on a Ray cluster with --ray."""

import argparse
import json
import os
import pathlib
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
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="run on the Ray cluster at ADDRESS, or start one here",
    )


def start(options: argparse.Namespace) -> None:
    if options.ray:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ledger.LedgerError("--ray needs Ray: pip install 'ray[data]'") from error

        if not ray.is_initialized():
            ray.init(
                address=options.ray,
                num_cpus=options.workers if options.ray == "local" else None,
                runtime_env={"py_modules": [str(pathlib.Path(ledger.__file__))]},
                log_to_driver=False,
            )
        daft.set_runner_ray(noop_if_initialized=True)
    else:
        daft.set_runner_native(num_threads=options.workers or os.cpu_count())


def run(job: ledger.Job, names: list[str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    start(options)

    # One shard a call, since a worker takes whole batches.
    @daft.func.batch(return_dtype=daft.DataType.string(), batch_size=1, use_process=False)
    def verify(shards: daft.Series) -> list[str]:
        return [json.dumps(ledger.verify_shard(job, name)) for name in shards.to_pylist()]

    table = daft.from_pydict({"shard": names})
    if options.ray:
        table = table.into_partitions(len(names))
    for row in table.select(verify(table["shard"]).alias("summary")).iter_rows():
        yield json.loads(row["summary"])


if __name__ == "__main__":
    sys.exit(ledger.main(__doc__, run, arguments))
