#!/usr/bin/env python3
"""Writes records.txt: output of Algorand's C code, from the package algorand-falcon 0.1.0.

In a virtual environment with that package: make.py > records.txt
"""

import hashlib

from algorand_falcon import _bindings as c
from algorand_falcon._lib import ffi, lib


def fixed_length(signature):
    """Converts a compressed signature to the constant-time form."""
    length = int(lib.FALCON_DET1024_SIG_CT_SIZE)
    out = ffi.new("uint8_t[]", length)
    if lib.falcon_det1024_convert_compressed_to_ct(out, signature, len(signature)) != 0:
        raise ValueError("the signature cannot be converted")
    return bytes(ffi.buffer(out, length))


print("""\
# Deterministic Falcon-1024: output of algorand/falcon in the package algorand-falcon 0.1.0.
# Record k has the key of the seed "key-%04d" % k. The message is the first k bytes of
# SHAKE256("msg-%04d" % k). A line has k and the SHA3-256 of the public key, of the compressed
# signature and, if k < 32, of the signature of fixed length. Record 0 ends with the compressed
# signature.""")
for k in range(512):
    key = c.keygen(b"key-%04d" % k)
    public_key = c.public_key_from_private(key)
    message = hashlib.shake_256(b"msg-%04d" % k).digest(k)
    signature = c.sign_compressed(key, message)
    c.verify_compressed(public_key, message, signature)
    values = [public_key, signature] + [fixed_length(signature)] * (k < 32)
    line = [str(k)] + [hashlib.sha3_256(value).hexdigest() for value in values]
    print(*line, *[signature.hex()] * (k == 0))
