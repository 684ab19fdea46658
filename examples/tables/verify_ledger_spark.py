#!/usr/bin/env python3
"""Verify a ledger with PySpark, on this machine, with --master on a cluster, or by spark-submit."""

import argparse
import os
import sys

import shards


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master",
        metavar="URL",
        help="master of the cluster (default: that of spark-submit, else this machine)",
    )


def run(job: shards.Job, missing: list[int], options: argparse.Namespace) -> list[str]:
    from pyspark.sql import SparkSession

    # Workers run the Python of this script, unless told otherwise.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("verify_ledger")
    if options.master:
        builder = builder.master(options.master)
    with builder.getOrCreate() as spark:
        context = spark.sparkContext
        context.addPyFile(shards.__file__)
        # One shard a task, so that a task that is lost is one shard.
        tasks = context.parallelize(missing, len(missing))
        return tasks.map(lambda shard: shards.verify_shard(job, shard)).collect()


if __name__ == "__main__":
    shards.main(__doc__, run, arguments)
