"""Checks the lines of deterministic Falcon in OURS: generates the keys again from the seeds, and
verifies the signatures. Then writes lines with its own signatures to THEIRS. src/main.rs describes
the lines.

    python algorand.py OURS THEIRS
"""

import sys

from algorand_falcon import _bindings as c
from algorand_falcon._lib import ffi, lib


def fixed_length(signature):
    """Converts a compressed signature to the fixed-length form."""
    length = int(lib.FALCON_DET1024_SIG_CT_SIZE)
    out = ffi.new("uint8_t[]", length)
    require(
        lib.falcon_det1024_convert_compressed_to_ct(out, signature, len(signature)) == 0,
        "a signature that cannot be converted",
    )
    return bytes(ffi.buffer(out, length))


def require(condition, what):
    if not condition:
        sys.exit(f"algorand.py: {what}")


def is_valid(public_key, message, signature):
    try:
        c.verify_compressed(public_key, message, signature)
    except c.exc.InvalidSignature:
        return False
    return True


ours, theirs = sys.argv[1:]
lines = []
for line in open(ours, encoding="ascii"):
    name, *fields = line.rstrip("\n").split("\t")
    if name != "det1024":
        continue
    seed, public_key, secret_key, message, compressed, fixed = map(bytes.fromhex, fields)
    require(c.keygen(seed) == secret_key, "another secret key")
    require(c.public_key_from_private(secret_key) == public_key, "another public key")
    require(is_valid(public_key, message, compressed), "a refused signature")
    require(not is_valid(public_key, message + b"\0", compressed), "a signature of another message")
    require(fixed_length(compressed) == fixed, "another signature of fixed length")
    own = c.sign_compressed(secret_key, message)
    fields = (seed, public_key, secret_key, message, own, fixed_length(own))
    lines.append("\t".join([name, *(field.hex() for field in fields)]) + "\n")
with open(theirs, "w", encoding="ascii") as out:
    out.writelines(lines)
print(f"algorand-falcon: {len(lines)} equal keys, {len(lines)} signatures verified")
