#!/usr/bin/env python3
"""Verify a ledger with PySpark, on this machine, with --master on a cluster, or by spark-submit."""

import argparse
import os
import sys
from typing import Any

try:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    import ledger
except Exception as error:
    # Python would exit with 1, which says that a row is not valid.
    print(f"error: {error}. Install what README.md says", file=sys.stderr)
    sys.exit(2)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master",
        metavar="URL",
        help="master of the cluster (default: that of spark-submit, else this machine)",
    )


def run(job: ledger.Job, names: list[str], options: argparse.Namespace) -> list[dict[str, Any]]:
    # Workers run the Python of this script, unless told otherwise.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("verify_ledger")
    if options.master or SparkConf().contains("spark.master"):
        ledger.refuse_workers(options)
    if options.master:
        builder = builder.master(options.master)
    elif not SparkConf().contains("spark.master"):
        builder = builder.master(f"local[{options.workers or '*'}]")
    with builder.getOrCreate() as spark:
        context = spark.sparkContext
        context.addPyFile(ledger.__file__)
        # One shard a task, so that a task that is lost is one shard.
        shards = context.parallelize(range(len(names)), len(names))
        return shards.map(lambda shard: ledger.verify_shard(job, names[shard])).collect()


if __name__ == "__main__":
    ledger.leave(ledger.main(__doc__, run, arguments))
