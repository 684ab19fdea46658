"""Verify a ledger: a folder of Parquet files (shards), each row a signed message.

The frameworks (Daft, Ray Data, Spark) only hand out shards. `verify_shard` does the work of one
shard, the same for all of them.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from falcon_sign import VerifyingKey, __version__, arrow

NAMES = ("valid", "invalid", "malformed", "unknown_key")
"""Names of the verdicts 0 to 3."""

ALL_VALID, NOT_VALID, NOT_DONE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses, those of `falcon-cli verify`."""

BATCH_ROWS = 32_768
"""Rows that are read at a time. With Falcon-512 and messages of 64 bytes they have 24 MB."""

BUFFER_BYTES = 1 << 20
"""Bytes that are read from a file at a time, for each column."""

FIRST = 10
"""Number of invalid rows that a summary lists."""

COLUMNS = 20
"""Number of columns that an error lists."""

ATTEMPTS = 3
"""How often a framework is started for the shards that are missing."""

SCHEMA = pa.schema([("row", pa.int64()), ("verdict", pa.uint8())])


class LedgerError(Exception):
    """Reason why a shard, or a table of keys, cannot be used."""


class Job(NamedTuple):
    """Everything that a worker needs, besides the name of a shard."""

    ledger: str
    output: str
    keys: str | None
    """Path of the table of keys."""
    keys_digest: str | None
    format: Literal["padded", "compressed", "ct"]
    threads: int
    """Threads for each shard."""


def shown(text: str) -> str:
    """Text as one line of ASCII, since names in a ledger may hold line ends and escape codes."""
    return json.dumps(text)[1:-1]


def _cut(text: object, length: int = 100) -> str:
    text = str(text)
    return text if len(text) <= length else f"{text[:length]}..."


# The kernel: one shard.


def verify_shard(job: Job, name: str) -> dict[str, Any]:
    """Write the verdicts of a shard, then its summary. Return the summary.

    A worker that dies leaves a temporary file only, and the shard may be verified again. An error
    of the shard is returned, not raised: trying again would not help.
    """
    try:
        return _verify_shard(job, name)
    except LedgerError as error:
        return {"shard": name, "error": str(error)}
    except (OSError, ValueError, pa.ArrowException) as error:
        return {"shard": name, "error": f"{pathlib.Path(job.ledger, name)}: {error}"}


def _verify_shard(job: Job, name: str) -> dict[str, Any]:
    started = time.perf_counter()
    source = pathlib.Path(job.ledger, name)
    keys = load_keys(job.keys, job.keys_digest) if job.keys else None
    counts = np.zeros(len(NAMES), np.int64)
    first: list[int] = []
    row = 0
    with open(source, "rb") as opened, _replacing(verdicts_path(job, name)) as temporary:
        before = _fingerprint(job, os.fstat(opened.fileno()))
        file = open_parquet(opened, source)
        columns = checked_columns(file.schema_arrow, source, keys)
        with (
            open(temporary, "wb") as written,
            pq.ParquetWriter(
                written,
                SCHEMA,
                compression="zstd",
                use_dictionary=["verdict"],
                column_encoding={"row": "DELTA_BINARY_PACKED"},
            ) as writer,
        ):
            for batch in _batches(file, columns, source):
                verdict = verdicts(batch, job)
                rows = pa.array(np.arange(row, row + len(verdict)))
                writer.write_table(pa.table([rows, verdict], schema=SCHEMA))
                values = verdict.to_numpy()
                counts += np.bincount(values, minlength=len(NAMES))
                wrong = np.flatnonzero(values != arrow.VALID)[: FIRST - len(first)]
                first += (row + wrong).tolist()
                row += len(verdict)
        if row != file.metadata.num_rows:
            raise LedgerError(f"{source}: {row} rows of {file.metadata.num_rows} can be read")
        if _fingerprint(job, source.stat()) != before:
            raise LedgerError(f"{source}: changed while it was read")
        digest = _digest(temporary)
    summary = {
        "shard": name,
        "rows": row,
        **dict(zip(NAMES, counts.tolist(), strict=True)),
        "first_not_valid": first,
        "output_sha256": digest,
        "seconds": round(time.perf_counter() - started, 6),
        **before,
    }
    write_json(summary_path(job, name), summary)
    return summary


def verdicts(batch: pa.RecordBatch | pa.Table, job: Job) -> pa.Array:
    """Verdicts of the rows of a batch that has the columns of `checked_columns`."""
    names, keys = "key", None
    if job.keys is not None:
        names, keys = "key_id", load_keys(job.keys, job.keys_digest).keys
    columns = [batch.column(column) for column in ("message", "signature", names)]
    return pa.array(arrow.verify(*columns, keys=keys, format=job.format, threads=job.threads))


class Keys(NamedTuple):
    """Table of keys."""

    path: str
    digest: str
    """SHA-256 of the file."""
    type: pa.DataType
    """Type of the names."""
    keys: dict[Any, VerifyingKey]


_loaded: list[Keys] = []
"""Table of keys that this process has read last."""


def load_keys(path: str, digest: str | None = None) -> Keys:
    """Keys of a Parquet table with the columns `key_id` and `key`, read once for each process.

    A key that is malformed is left out, so its rows get the verdict of an unknown key. Raises
    LedgerError if `digest` is given and the file has another one.
    """
    for table in _loaded:
        if (table.path, table.digest) == (path, digest):
            return table
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise LedgerError(f"{path}: {error.strerror}") from error
    found = hashlib.sha256(data).hexdigest()
    if digest not in (None, found):
        raise LedgerError(f"{path}: changed since the work began. Run the command again")
    table = _parse_keys(path, found, data)
    _loaded[:] = [table]
    return table


def _parse_keys(path: str, digest: str, data: bytes) -> Keys:
    file = open_parquet(pa.BufferReader(data), path)
    kind = _check_type(file.schema_arrow, "key_id", _is_name, "integers, text or bytes", path)
    _check_type(file.schema_arrow, "key", _is_bytes, "binary", path)
    try:
        # A thread that lets go of `data` while Python ends would abort the process.
        table = file.read(columns=["key_id", "key"], use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise LedgerError(f"{path}: damaged Parquet file: {error}") from error
    keys: dict[Any, VerifyingKey] = {}
    seen: dict[Any, bytes | None] = {}
    for name, key in zip(table["key_id"].to_pylist(), table["key"].to_pylist(), strict=True):
        if name in seen and seen[name] != key:
            raise LedgerError(f"{path}: key_id {_cut(repr(name))} has two keys")
        seen[name] = key
        if name is not None and key is not None:
            try:
                keys[name] = VerifyingKey.from_bytes(key)
            except ValueError:
                pass
    return Keys(path, digest, kind, keys)


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    tests = types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view
    return any(test(kind) for test in tests)


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    tests = types.is_string, types.is_large_string, types.is_string_view
    return any(test(kind) for test in tests)


def _is_message(kind: pa.DataType) -> bool:
    return _is_bytes(kind) or _is_text(kind)


def _is_name(kind: pa.DataType) -> bool:
    return _is_message(kind) or pa.types.is_integer(kind)


def _check_type(
    schema: pa.Schema, name: str, accepts: Callable[[pa.DataType], bool], wanted: str, path: object
) -> pa.DataType:
    if schema.names.count(name) != 1:
        found = ", ".join(_cut(column, 40) for column in schema.names[:COLUMNS]) or "none"
        if len(schema.names) > COLUMNS:
            found += f" and {len(schema.names) - COLUMNS} more"
        raise LedgerError(f"{path}: needs one column {name} ({wanted}). Columns found: {found}")
    kind = _value_type(schema.field(name).type)
    if not accepts(kind):
        raise LedgerError(f"{path}: the column {name} has the type {_cut(kind)} and needs {wanted}")
    return kind


def checked_columns(schema: pa.Schema, path: object, keys: Keys | None) -> list[str]:
    """Names of the columns to read. Raises LedgerError if one is missing or has a wrong type."""
    _check_type(schema, "message", _is_message, "binary or text", path)
    _check_type(schema, "signature", _is_bytes, "binary", path)
    if keys is not None:
        kind = _check_type(schema, "key_id", _is_name, "integers, text or bytes", path)
        if pa.types.is_integer(kind) != pa.types.is_integer(keys.type):
            raise LedgerError(
                f"{path}: the column key_id has the type {kind},"
                f" and that of {keys.path} has {keys.type}"
            )
        return ["message", "signature", "key_id"]
    if "key" not in schema.names and "key_id" in schema.names:
        raise LedgerError(f"{path}: has a column key_id. Name the table of keys with --keys FILE")
    _check_type(schema, "key", _is_bytes, "binary", path)
    return ["message", "signature", "key"]


def open_parquet(source: Any, path: object) -> pq.ParquetFile:
    """Parquet file of an open file or buffer. `path` is its name in errors."""
    try:
        # A page that has a checksum is checked. Without a buffer, whole column chunks are read.
        return pq.ParquetFile(
            source, page_checksum_verification=True, buffer_size=BUFFER_BYTES, pre_buffer=False
        )
    except (OSError, pa.ArrowException) as error:
        raise LedgerError(f"{path}: not a readable Parquet file: {error}") from error


def _batches(file: pq.ParquetFile, columns: list[str], path: object) -> Iterator[pa.RecordBatch]:
    try:
        yield from file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise LedgerError(f"{path}: damaged Parquet file: {error}") from error


# Files: each appears whole or not at all.


class _replacing:
    """Temporary path that replaces `path` at the end, and is removed if there is an error."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")

    def __enter__(self) -> pathlib.Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return self.temporary

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.temporary.unlink(missing_ok=True)
            return
        with open(self.temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(self.temporary, self.path)


def write_json(path: pathlib.Path, value: object) -> None:
    with _replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1) + "\n")


def verdicts_path(job: Job, name: str) -> pathlib.Path:
    return pathlib.Path(job.output, name)


def summary_path(job: Job, name: str) -> pathlib.Path:
    return pathlib.Path(job.output, f"{name}.json")


def _digest(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fingerprint(job: Job, status: os.stat_result) -> dict[str, Any]:
    """What the verdicts of a shard depend on. If it changes, they are computed again."""
    return {
        "bytes": status.st_size,
        "modified_ns": status.st_mtime_ns,
        "changed_ns": status.st_ctime_ns,
        "format": job.format,
        "keys_sha256": job.keys_digest,
        "falcon_sign": __version__,
    }


def finished(job: Job, name: str) -> dict[str, Any] | None:
    """Summary of a shard whose output has the bytes it was written with, and is not outdated."""
    try:
        summary: dict[str, Any] = json.loads(summary_path(job, name).read_text())
        status = pathlib.Path(job.ledger, name).stat()
        wanted = {"shard": name, **_fingerprint(job, status)}
        if wanted.items() <= summary.items():
            wanted["output_sha256"] = _digest(verdicts_path(job, name))
            return summary if wanted.items() <= summary.items() else None
    except (OSError, ValueError, AttributeError):
        pass
    return None


def remove_outputs(job: Job, names: list[str], totals: list[pathlib.Path]) -> None:
    """Remove the outputs of shards, and summaries of the whole, before they are made again.

    So an output that is there is never older than its shard. Raises LedgerError, and removes
    nothing, if a file of that name is not one of these scripts.
    """
    for name in names:
        path = verdicts_path(job, name)
        if path.exists() or path.is_symlink():
            _check_ours(path, _has_verdicts(path))
        else:
            _check_json(summary_path(job, name), {"shard": name})
    for total in totals:
        _check_json(total, {})
    for total in totals:
        total.unlink(missing_ok=True)
    for name in names:
        # Verdicts without a summary count as unfinished.
        summary_path(job, name).unlink(missing_ok=True)
        verdicts_path(job, name).unlink(missing_ok=True)


def _has_verdicts(path: pathlib.Path) -> bool:
    try:
        with open(path, "rb") as file:
            return bool(pq.read_schema(file).equals(SCHEMA))
    except (OSError, pa.ArrowException):
        return False


def _check_json(path: pathlib.Path, items: dict[str, Any]) -> None:
    if path.exists() or path.is_symlink():
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            found = None
        ours = isinstance(found, dict) and {"rows", *NAMES} <= found.keys()
        _check_ours(path, ours and items.items() <= found.items())


def _check_ours(path: pathlib.Path, ours: bool) -> None:
    if not ours:
        raise LedgerError(
            f"{path}: not an output of this script. Move it away, or name another folder with -o"
        )


def shards_of(folder: pathlib.Path) -> list[str]:
    """Names of all Parquet files below a folder, besides hidden ones, in their order.

    Raises LedgerError for what would leave rows out: a folder or a file that cannot be read, and a
    link to a folder.
    """

    def refuse(error: OSError) -> None:
        raise LedgerError(f"{error.filename}: {error.strerror}. No shard was verified") from error

    names = []
    for root, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in folders:
            if os.path.islink(os.path.join(root, name)):
                path = os.path.join(root, name)
                raise LedgerError(f"{path}: a link to a folder. Copy the folder, or mount it there")
        for name in files:
            if name.endswith(".parquet") and not name.startswith((".", "_")):
                path = pathlib.Path(root, name)
                if not (path.is_file() and os.access(path, os.R_OK)):
                    raise LedgerError(f"{path}: not a readable file. No shard was verified")
                names.append(path.relative_to(folder).as_posix())
    return sorted(names)


# The command line, the same for all frameworks.

Framework = Callable[[Job, list[str], argparse.Namespace], Iterable[dict[str, Any]]]
"""Call `verify_shard` for each name, somewhere, and give the summaries in any order.

Frameworks get indices of names as their data, since a name may hold bytes that are not text.
"""


def main(
    description: str, framework: Framework, arguments: Callable[[argparse.ArgumentParser], None]
) -> int:
    parser = argparse.ArgumentParser(
        description=description,
        epilog="Exit status: 0: all rows are valid. 1: at least one row is not valid. 2: no invalid"
        " row was found, but a shard could not be verified; or wrong usage. 130: stopped by Ctrl-C.",
    )
    parser.add_argument("ledger", type=pathlib.Path, help="folder of Parquet files (shards)")
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, required=True, help="folder of verdicts"
    )
    parser.add_argument("--keys", type=pathlib.Path, help="Parquet file with key_id and key")
    parser.add_argument("--format", choices=["padded", "compressed", "ct"], default="padded")
    parser.add_argument(
        "--workers",
        type=_positive,
        help="shards at a time (default: all cores). On a cluster, see docs/TABLES.md",
    )
    parser.add_argument("--threads", type=_positive, default=1, help="threads a shard (default: 1)")
    parser.add_argument(
        "--part", type=_part, metavar="I/N", help="verify part I of N, for example 1/4"
    )
    parser.add_argument("--again", action="store_true", help="verify finished shards again")
    arguments(parser)
    options = parser.parse_args()
    try:
        return _run(options, framework)
    except LedgerError as error:
        print(f"error: {shown(str(error))}", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped. Run the command again to go on", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        # Python would exit with 1, which says that a row is not valid.
        print(f"error: {type(error).__name__}: {shown(str(error))}", file=sys.stderr)
    return NOT_DONE


def leave(status: int) -> NoReturn:
    """End the process. Threads of a framework that was interrupted would abort Python's own end."""
    if status == INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def start_ray(options: argparse.Namespace) -> None:
    """Connect to the cluster at `options.ray`, or start one here if that is `local`.

    A connection of an earlier attempt is closed first.
    """
    import ray

    ray.shutdown()
    workers = None
    if options.ray == "local":
        workers = options.workers or max(1, (os.cpu_count() or 1) // options.threads)
    ray.init(
        address=options.ray,
        num_cpus=workers and workers * options.threads,
        runtime_env={"py_modules": [__file__]},
        log_to_driver=False,
    )


def refuse_workers(options: argparse.Namespace) -> None:
    if options.workers:
        raise LedgerError("--workers is not for clusters: their cores say how many shards run")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _part(text: str) -> tuple[int, int]:
    index, _, count = text.partition("/")
    part = _positive(index), _positive(count)
    if part[0] > part[1]:
        raise argparse.ArgumentTypeError(f"{text}: there are only {count} parts")
    return part


def _run(options: argparse.Namespace, framework: Framework) -> int:
    ledger, output = options.ledger.resolve(), options.output.resolve()
    if not ledger.is_dir():
        raise LedgerError(f"{options.ledger}: no such folder")
    if output.is_relative_to(ledger):
        raise LedgerError(f"{options.output}: lies in the ledger. Name another folder with -o")
    if ledger.is_relative_to(output):
        raise LedgerError(f"{options.output}: contains the ledger. Name another folder with -o")
    names = shards_of(ledger)
    if not names:
        raise LedgerError(f"{options.ledger}: has no Parquet files (*.parquet)")
    totals = [output / "summary.json"]
    division = None
    if options.part:
        index, count = options.part
        division = hashlib.sha256(os.fsencode("\0".join(names))).hexdigest()
        names = names[index - 1 :: count]
        totals.append(output / f"summary-{index}-of-{count}.json")
        _check_division(output, options.part, division)
    keys = options.keys and str(options.keys.resolve())
    digest = load_keys(keys).digest if keys else None
    job = Job(str(ledger), str(output), keys, digest, options.format, options.threads)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise LedgerError(f"{options.output}: not a folder. Name another one with -o") from None

    started = time.perf_counter()
    done = {}
    if not options.again:
        done = {name: made for name in names if (made := finished(job, name))}
    skipped = len(done)
    remove_outputs(job, [name for name in names if name not in done], totals)
    errors: dict[str, str] = {}
    for attempt in range(1, ATTEMPTS + 1):
        missing = [name for name in names if name not in done and name not in errors]
        if not missing:
            break
        try:
            for summary in framework(job, missing, options):
                name = summary["shard"]
                if "error" in summary:
                    errors[name] = summary["error"]
                else:
                    done[name] = summary
        except LedgerError:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {shown(str(error))}"
            print(f"attempt {attempt} of {ATTEMPTS}: {text}", file=sys.stderr)
            # Its workers may have finished shards that it did not report.
            done |= {name: made for name in missing if (made := finished(job, name))}
        except KeyboardInterrupt:
            _remove_temporary_files(job, names)
            raise
    _remove_temporary_files(job, names)
    return _report(names, done, errors, skipped, totals[-1], division, started)


def _check_division(output: pathlib.Path, part: tuple[int, int], division: str) -> None:
    """Raise LedgerError if another part found other shards: then a shard may be in no part."""
    index, count = part
    for path in output.glob(f"summary-*-of-{count}.json"):
        if path.name == f"summary-{index}-of-{count}.json":
            continue
        try:
            found = json.loads(path.read_text())["division"]
        except (OSError, ValueError, TypeError, KeyError):
            continue
        if found != division:
            raise LedgerError(
                f"{path}: belongs to other shards than those that this part has found."
                " Start all parts again with an empty folder -o"
            )


def _remove_temporary_files(job: Job, names: list[str]) -> None:
    """Remove what workers left that were killed."""
    folders = collections.defaultdict(set)
    for name in names:
        for path in (verdicts_path(job, name), summary_path(job, name)):
            folders[path.parent].add(path.name)
    for folder, files in folders.items():
        if not folder.is_dir():
            continue
        for entry in os.scandir(folder):
            found = re.fullmatch(r"\.(.*)\.[0-9a-f]{32}\.tmp", entry.name, re.DOTALL)
            if found and found[1] in files:
                pathlib.Path(entry.path).unlink(missing_ok=True)


def _report(
    names: list[str],
    done: dict[str, dict[str, Any]],
    errors: dict[str, str],
    skipped: int,
    path: pathlib.Path,
    division: str | None,
    started: float,
) -> int:
    for name in names:
        if name not in done:
            errors.setdefault(name, f"{name}: not verified. Run the command again")
    made = [done[name] for name in names if name in done]
    counts = {name: sum(summary[name] for summary in made) for name in NAMES}
    total = {
        "shards": len(names),
        "skipped": skipped,
        "rows": sum(summary["rows"] for summary in made),
        **counts,
        "bytes": sum(summary["bytes"] for summary in made),
        "seconds": round(time.perf_counter() - started, 6),
        "not_valid": {
            summary["shard"]: summary["first_not_valid"]
            for summary in made
            if summary["first_not_valid"]
        },
        "errors": errors,
    }
    if division is not None:
        total["division"] = division
    write_json(path, total)

    for summary in made:
        if summary["first_not_valid"]:
            first = ", ".join(map(str, summary["first_not_valid"]))
            found = summary["rows"] - summary["valid"]
            more = " and more" if found > len(summary["first_not_valid"]) else ""
            are = "row is" if found == 1 else "rows are"
            print(f"{shown(summary['shard'])}: {found} {are} not valid: {first}{more}")
    for name in names:
        if name in errors:
            print(f"error: {shown(errors[name])}", file=sys.stderr)
    verdict = ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in NAMES)
    print(f"{total['rows']} rows in {len(made)} of {len(names)} shards: {verdict}")
    if skipped:
        print(f"{skipped} of these shards had been verified before")
    if total["valid"] != total["rows"]:
        return NOT_VALID
    return NOT_DONE if errors else ALL_VALID
