#!/usr/bin/env python3
"""Make a ledger to try the other scripts with, and note the verdicts that it must get.

Writes FOLDER/ledger/part-00000.parquet and so on, FOLDER/keys.parquet, and FOLDER/expected.json:
the rows that are not valid. The secret keys have known seeds: never use them for anything else.
"""

import argparse
import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from falcon_sign import SigningKey, arrow

GROUP_ROWS = 32_768
FORGERIES = ("message", "signature", "truncated", "unknown")
"""Kinds of rows that are not valid. Shards take them in turn."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of each shard")
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--message-bytes", type=int, default=64)
    parser.add_argument("--parameters", default="Falcon-512", choices=["Falcon-512", "Falcon-1024"])
    parser.add_argument("--format", default="padded", choices=["padded", "compressed", "ct"])
    parser.add_argument("--encoded-keys", action="store_true", help="a column key, not key_id")
    parser.add_argument(
        "--forge", action="store_true", help="forge the first, middle and last row of each shard"
    )
    options = parser.parse_args()
    if options.message_bytes < 8:
        parser.error("--message-bytes must be at least 8")

    folder = options.folder / "ledger"
    folder.mkdir(parents=True)
    keys = {
        f"signer-{number}": SigningKey.from_seed(number.to_bytes(32), options.parameters)
        for number in range(options.keys)
    }
    public = {name: key.verifying_key.to_bytes() for name, key in keys.items()}
    pq.write_table(
        pa.table({"key_id": list(public), "key": pa.array(public.values(), pa.binary())}),
        options.folder / "keys.parquet",
    )

    expected: dict[str, dict[int, int]] = {}
    names = list(keys)
    for shard in range(options.shards):
        name = f"part-{shard:05}.parquet"
        forged = expected[name] = {}
        places = [0, options.rows // 2, options.rows - 1] if options.forge else []
        writer = None
        for start in range(0, options.rows, GROUP_ROWS):
            rows = range(start, min(start + GROUP_ROWS, options.rows))
            # The number of the row in the ledger, then zeros.
            messages = [
                (shard * options.rows + row).to_bytes(8).ljust(options.message_bytes, b"\0")
                for row in rows
            ]
            signers = [names[(shard + row) % len(names)] for row in rows]
            signatures = pa.array(
                arrow.sign(
                    pa.array(messages, pa.binary()),
                    pa.array(signers),
                    keys=keys,
                    format=options.format,
                )
            )
            here = [place for place in places if place in rows]
            if here:
                signatures = signatures.to_pylist()
                for place in here:
                    kind = FORGERIES[(shard + places.index(place)) % len(FORGERIES)]
                    row = place - start
                    forged[place] = forge(kind, row, messages, signatures, signers)
                signatures = pa.array(signatures, pa.binary())
            columns = {"message": pa.array(messages, pa.binary()), "signature": signatures}
            if options.encoded_keys:
                columns["key"] = pa.array(
                    [public.get(signer, b"no key") for signer in signers], pa.binary()
                )
            else:
                columns["key_id"] = pa.array(signers)
            table = pa.table(columns)
            if writer is None:
                # Signatures and messages are random bytes, which nothing makes shorter.
                writer = pq.ParquetWriter(
                    folder / name,
                    table.schema,
                    compression="none",
                    use_dictionary=["key" if options.encoded_keys else "key_id"],
                    write_statistics=False,
                    write_page_checksum=True,
                )
            writer.write_table(table)
        if writer:
            writer.close()
    text = json.dumps({"rows": options.rows, "shards": expected}, indent=1)
    (options.folder / "expected.json").write_text(text + "\n")
    return 0


def forge(
    kind: str, row: int, messages: list[bytes], signatures: list[bytes], signers: list[str]
) -> int:
    """Change a row so that it is not valid. Return the verdict that it must get."""
    match kind:
        case "message":
            messages[row] = messages[row][:-1] + b"!"
            return arrow.INVALID
        case "signature":
            # Of another message, that of the next row or the one before.
            signatures[row] = signatures[row + 1 if row + 1 < len(signatures) else row - 1]
            return arrow.INVALID
        case "truncated":
            signatures[row] = signatures[row][:-1]
            return arrow.MALFORMED
    signers[row] = "nobody"
    return arrow.UNKNOWN_KEY


if __name__ == "__main__":
    sys.exit(main())
