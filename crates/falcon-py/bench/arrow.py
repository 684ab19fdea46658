#!/usr/bin/env python3
"""Compares falconsign.arrow.verify with falcon-core alone (the bare batch), in one run.

Needs pyarrow and the package built with `maturin develop --release --features measure`.
The two take turns. Prints the ratio of the smallest times, then the median and the quartiles of the
ratios of neighbouring turns. For one thread, also prints the ratio of the smallest processor times,
which other work on the machine changes less.

    bench/arrow.py [ROWS] [TURNS]
"""

import statistics
import sys
import time

import pyarrow as pa
from falconsign import SigningKey, _native, arrow, best_engine

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 16
turns = int(sys.argv[2]) if len(sys.argv) > 2 else 15


def clocks():
    """Returns the wall-clock time and the processor time of this thread, in seconds."""
    return time.perf_counter(), time.thread_time()


def differences(before, after):
    """Returns the time that passed on each clock."""
    return [end - start for start, end in zip(before, after)]


print(f"{rows} rows, Falcon-512, messages of 32 bytes, engine {best_engine()}")
print("time of the columns / time of the bare batch (smaller is faster)")
for count in (1, 100, 1000):
    keys = [SigningKey.from_seed(number.to_bytes(32)) for number in range(count)]
    public = [key.verifying_key for key in keys]
    numbers = pa.array([row % count for row in range(rows)])
    names = pa.array([f"signer {row % count}" for row in range(rows)])
    messages = pa.array([row.to_bytes(32) for row in range(rows)])
    signatures = pa.array(arrow.sign(messages, numbers, keys=dict(enumerate(keys))))
    encoded = pa.array([public[row % count].to_bytes() for row in range(rows)])
    by_number = dict(enumerate(public))
    by_name = {f"signer {number}": key for number, key in by_number.items()}
    for threads in (1, None):
        columns = {
            "integer names": lambda: arrow.verify(
                messages, signatures, numbers, keys=by_number, threads=threads
            ),
            "text names": lambda: arrow.verify(
                messages, signatures, names, keys=by_name, threads=threads
            ),
            "a column of keys": lambda: arrow.verify(
                messages, signatures, encoded, threads=threads
            ),
        }
        if count == 1:
            columns["one key"] = lambda: arrow.verify(
                messages, signatures, public[0], threads=threads
            )
        for name, call in columns.items():
            bare, times, bare_processor, processor = [], [], [], []
            for _ in range(turns):
                seconds, used = differences(
                    *_native.measure_bare_batch(messages, signatures, public, threads, clocks)
                )
                bare.append(seconds)
                bare_processor.append(used)
                before = clocks()
                verdicts = call()
                seconds, used = differences(before, clocks())
                assert not any(verdicts.to_list())
                times.append(seconds)
                processor.append(used)
            ratios = [time / other for time, other in zip(times, bare)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            print(
                f"{count:5} keys, {threads or 'all'} threads, {name:24}"
                f" {min(times) / min(bare):.3f}, {middle:.3f} ({low:.3f} to {high:.3f}),"
                f" bare {min(bare) / rows * 1e6:.2f} us a row",
                end="",
            )
            if threads == 1:
                used = min(bare_processor)
                print(
                    f"; processor {min(processor) / used:.3f}, bare {used / rows * 1e6:.2f} us",
                    end="",
                )
            print(flush=True)
