"""Verify a ledger: run `falcon-cli verify-table --shard K/N` for each shard K from 1 to N.

The program reads the tables and writes the outputs. A framework (Daft, Ray Data, Spark) only hands
out the numbers of the shards, as tasks that call `verify_shard`.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

COUNTS = ("rows", "valid", "invalid", "malformed", "unknown_key")
"""Fields of the program's JSON that are added up."""
ALL_VALID, NOT_VALID, NOT_DONE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses. The first three are those of the program."""
ATTEMPTS = 3
"""How often the framework is started for the shards that are missing."""


class Job(NamedTuple):
    """Everything that a worker needs, besides the number of a shard."""

    command: list[str]
    folder: str
    """Working directory, where relative paths begin."""
    shards: int


def verify_shard(job: Job, shard: int) -> str:
    """Run the program for a shard. Return what it reported, as JSON.

    An error is returned, not raised: the framework would try again at once, and often in vain.
    """
    status, outputs = NOT_DONE, []
    try:
        command = [*job.command, f"--shard={shard}/{job.shards}"]
        ended = subprocess.run(command, cwd=job.folder, capture_output=True, text=True)
        outputs = [json.loads(line) for line in ended.stdout.splitlines()]
        status, lines = ended.returncode, ended.stderr.splitlines()
        errors = [line for line in lines if not line.startswith('{"warning":')]
        if status not in (ALL_VALID, NOT_VALID) and not errors:
            errors = [f"the program ended with status {status}"]
    except (OSError, ValueError) as error:
        errors = [repr(error)]
    return json.dumps({"shard": shard, "status": status, "outputs": outputs, "errors": errors})


Framework = Callable[[Job, list[int], argparse.Namespace], Iterable[str]]
"""Call `verify_shard` for each number, somewhere, and give the results in any order."""


def main(
    description: str | None,
    framework: Framework,
    arguments: Callable[[argparse.ArgumentParser], object],
) -> NoReturn:
    """Verify all shards, report, and end the process."""
    parser = argparse.ArgumentParser(
        description=description,
        usage="%(prog)s --shards N [OPTION]... LEDGER -o FOLDER [OPTION OF verify-table]...",
        epilog="All other arguments are those of `falcon-cli verify-table`. Exit status: 0: all"
        " rows are valid. 1: at least one row is not valid. 2: no invalid row was found, but a"
        " shard could not be verified; or wrong usage. 130: stopped by Ctrl-C.",
        allow_abbrev=False,
    )
    parser.add_argument("--shards", type=int, required=True, help="the same number in each run")
    parser.add_argument("--program", default="falcon-cli", help="default: %(default)s")
    arguments(parser)
    options, others = parser.parse_known_args()
    # If a worker dies, so does its program. Another worker can then make the same outputs.
    command = ["setpriv", "--pdeathsig", "TERM", options.program, "--json", "verify-table"]
    command += ["--skip-existing", "--threads=1", *others]
    try:
        sys.exit(_run(Job(command, os.getcwd(), options.shards), framework, options))
    except KeyboardInterrupt:
        print("stopped. Run the command again to go on", file=sys.stderr, flush=True)
        # Python's own end would wait for the threads of the framework.
        os._exit(INTERRUPTED)
    except Exception as error:
        # Python would exit with 1, which says that a row is not valid.
        print(f"error: {error!r}", file=sys.stderr)
        sys.exit(NOT_DONE)


def _run(job: Job, framework: Framework, options: argparse.Namespace) -> int:
    results: dict[int, dict[str, Any]] = {}
    missing = list(range(1, job.shards + 1))
    for attempt in range(1, ATTEMPTS + 1):
        tried, failed = len(missing), False
        try:
            for text in framework(job, missing, options):
                result = json.loads(text)
                results[result["shard"]] = result
                _show_progress(len(results), job.shards)
        except Exception as error:
            failed = True
            print(f"attempt {attempt} of {ATTEMPTS}: {error!r}", file=sys.stderr)
        missing = [one for one in missing if one not in results or results[one]["errors"]]
        # If every shard has failed, so would the next attempt.
        if not missing or (len(missing) == tried and not failed):
            break

    outputs = [output for result in results.values() for output in result["outputs"]]
    for output in outputs:
        if output["valid"] != output["rows"]:
            print(json.dumps(output))
    errors = collections.defaultdict(list)
    for shard in missing:
        for error in results[shard]["errors"] if shard in results else ["not run"]:
            errors[error].append(shard)
    for text, shards in errors.items():
        print(f"shards {shards} of {job.shards}: {text}", file=sys.stderr)
    counts = {name: sum(output[name] for output in outputs) for name in COUNTS}
    print(json.dumps({"shards": job.shards, "done": job.shards - len(missing), **counts}))
    if NOT_VALID in [result["status"] for result in results.values()]:
        return NOT_VALID
    # A program that reports no output is another one.
    return NOT_DONE if missing or not outputs else ALL_VALID


def _show_progress(ended: int, shards: int) -> None:
    """Show how many shards have ended, if a person watches."""
    if sys.stderr.isatty():
        end = "\n" if ended == shards else ""
        print(f"\r{ended} of {shards} shards", end=end, file=sys.stderr, flush=True)


def start_ray(address: str) -> None:
    """Connect to the Ray cluster at `address`, or start one here if that is `local`."""
    import ray

    # An earlier attempt may have left a connection.
    ray.shutdown()
    ray.init(address=address, runtime_env={"py_modules": [__file__]}, log_to_driver=False)
