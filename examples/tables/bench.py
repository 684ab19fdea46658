#!/usr/bin/env python3
"""Measure the scripts on a ledger of make_ledger.py, beside the bare kernel. Linux only.

Each way runs TURNS times, in turn, and the smallest figure of each column counts. Before each run
the ledger is dropped from the page cache, so it is read from the disk. Then the time of the shards
on 1 to 64 workers is simulated from their durations with "Daft, 1 worker", if that is measured.
Prints the tables of docs/TABLES.md. Processor seconds leave out those of Ray and Java.

    bench.py FOLDER [TURNS] [WAY]...
"""

import contextlib
import heapq
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow.parquet as pq
from falcon_sign import arrow, best_engine

import ledger as module

HERE = pathlib.Path(__file__).resolve().parent
WAYS = {
    "Daft, 1 worker": [["verify_ledger.py", "--workers=1"]],
    "Daft, 2 workers": [["verify_ledger.py", "--workers=2"]],
    "Daft, 2 processes": [
        ["verify_ledger.py", "--workers=1", f"--part={part}/2"] for part in (1, 2)
    ],
    "Daft on Ray, 2 workers": [["verify_ledger.py", "--ray=local", "--workers=2"]],
    "Ray Data, 2 workers": [["verify_ledger_ray.py", "--workers=2"]],
    "Spark, 2 executors": [["verify_ledger_spark.py", "--master=local-cluster[2,1,1024]"]],
}


def bare(shard, keys, turns=15):
    """Rows a processor second of the kernel on columns in memory, on one thread."""
    table = pq.read_table(shard, partitioning=None)
    names = "key" if keys is None else "key_id"
    columns = [table[name].combine_chunks() for name in ("message", "signature", names)]
    times = []
    for _ in range(turns):
        start = time.process_time()
        arrow.verify(*columns, keys=keys, threads=1)
        times.append(time.process_time() - start)
    return len(table) / min(times)


def drop(paths):
    """Drop files from the page cache."""
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def processor():
    """Processor seconds of children that were waited for, so without those of Ray and Java."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def makespan(durations, workers):
    """Time until all shards are done, if each worker takes the next one when it is free."""
    free = [0.0] * workers
    for duration in durations:
        heapq.heappush(free, heapq.heappop(free) + duration)
    return max(free)


def main():
    folder = pathlib.Path(sys.argv[1])
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ways = {way: WAYS[way] for way in sys.argv[3:]} if len(sys.argv) > 3 else WAYS
    shards = sorted((folder / "ledger").glob("*.parquet"))
    size = sum(path.stat().st_size for path in shards)
    rows = sum(pq.read_metadata(path).num_rows for path in shards)
    path = str(folder / "keys.parquet")
    by_name = "key_id" in pq.read_schema(shards[0]).names
    keys = module.load_keys(path).keys if by_name else None
    print(f"{rows} rows, {size} bytes, {len(shards)} shards, engine {best_engine()}")

    drop(shards)
    start = time.perf_counter()
    for shard in shards:
        with open(shard, "rb", buffering=0) as file:
            while file.read(1 << 22):
                pass
    print(f"read alone, once: {size / (time.perf_counter() - start) / 1e9:.2f} GB/s")

    rate = bare(shards[0], keys)
    best = {way: (float("inf"), float("inf"), [float("inf")]) for way in ways}
    for _ in range(turns):
        for way, commands in ways.items():
            drop(shards)
            output = tempfile.mkdtemp(dir=folder)
            arguments = [folder / "ledger", "-o", output]
            if by_name:
                arguments += ["--keys", path]
            with contextlib.ExitStack() as stack:
                log = stack.enter_context(tempfile.TemporaryFile("w+"))
                before = processor()
                start = time.perf_counter()
                running = [
                    subprocess.Popen(
                        [sys.executable, HERE / command[0], *arguments, *command[1:]],
                        stdout=log,
                        stderr=log,
                    )
                    for command in commands
                ]
                statuses = [process.wait() for process in running]
                seconds = time.perf_counter() - start
                busy = processor() - before
                if set(statuses) - {0, 1}:
                    log.seek(0)
                    sys.exit(f"{way}: {statuses}: {log.read()}")
            made = [
                json.loads(pathlib.Path(output, f"{shard.name}.json").read_text())
                for shard in shards
            ]
            assert sum(summary["rows"] for summary in made) == rows
            durations = [summary["seconds"] for summary in made]
            least = best[way]
            best[way] = (
                min(least[0], seconds),
                min(least[1], busy),
                min(least[2], durations, key=sum),
            )
            print(f"{way}: {seconds:.1f} s, processor {busy:.1f} s", file=sys.stderr, flush=True)
            shutil.rmtree(output)
    print(
        "\n| way | seconds by the clock | processor seconds | rows/s | GB/s |\n|---|---|---|---|---|"
    )
    kernel = ("bare kernel on one core, columns in memory", None, rows / rate)
    for way, seconds, busy in [kernel, *((way, *least[:2]) for way, least in best.items())]:
        clock = f"{seconds:.1f} " if seconds else ""
        # The workers of a cluster are no children of the script.
        processor_time = "" if "Ray" in way or "Spark" in way else f"{busy:.1f} "
        took = seconds or busy
        print(f"| {way} | {clock}| {processor_time}| {rows / took:,.0f} | {size / took / 1e9:.2f} |")

    if "Daft, 1 worker" not in best:
        return
    durations = best["Daft, 1 worker"][2]
    whole = sum(durations)
    print(
        f"\nSimulation: {len(durations)} shards of {min(durations):.3f} to {max(durations):.3f} s,"
    )
    print(f"{whole:.1f} s one after the other\n")
    print("| workers | seconds, simulated | speed-up |\n|---|---|---|")
    for workers in (1, 2, 4, 8, 16, 32, 64):
        seconds = makespan(durations, workers)
        print(f"| {workers} | {seconds:.1f} | {whole / seconds:.1f} |")


if __name__ == "__main__":
    main()
