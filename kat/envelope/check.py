#!/usr/bin/env python3
"""Verifies the envelopes and manifests of this folder in plain Python.

Written from docs/FORMATS.md, the Falcon specification and NIST SP 800-185. Shares no code with the
crates. Prints a line for each file, and fails at the first one that is wrong.
"""

import base64
import hashlib
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from plain_falcon import Q, SETS, hash_to_point, polynomial, product, shake256

RATE, MASK = 136, (1 << 64) - 1
CUSTOMIZATION = b"falcon-envelope v1"


def rotate(word, count):
    return (word << count | word >> (64 - count)) & MASK if count else word


def round_constants():
    """Returns the round constants: FIPS 202, algorithm 5, a shift register."""
    register, constants = 1, []
    for _ in range(24):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << (2**j - 1)
            register <<= 1
            if register & 0x100:
                register ^= 0x171
        constants.append(constant)
    return constants


def keccak_f(state):
    for constant in round_constants():
        columns = [state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
                   for x in range(5)]
        for i in range(25):
            state[i] ^= columns[(i + 4) % 5] ^ rotate(columns[(i + 1) % 5], 1)
        moved, x, y, word = [0] * 25, 1, 0, None
        moved[0] = state[0]
        for t in range(24):
            moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(state[x + 5 * y], (t + 1) * (t + 2) // 2 % 64)
            x, y = y, (2 * x + 3 * y) % 5
        for i in range(25):
            row = i - i % 5
            state[i] = moved[i] ^ (~moved[row + (i + 1) % 5] & MASK & moved[row + (i + 2) % 5])
        state[0] ^= constant


def sponge(data, length, padding):
    data += bytes([padding])
    data += bytes(-len(data) % RATE)
    data = data[:-1] + bytes([data[-1] | 0x80])
    state, out = [0] * 25, b""
    for at in range(0, len(data), RATE):
        for i in range(RATE // 8):
            state[i] ^= int.from_bytes(data[at + 8 * i:at + 8 * i + 8], "little")
        keccak_f(state)
    while len(out) < length:
        out += b"".join(word.to_bytes(8, "little") for word in state[:RATE // 8])
        keccak_f(state)
    return out[:length]


def cshake256(data, length):
    bits = 8 * len(CUSTOMIZATION)
    block = bytes([1, RATE, 1, 0, 1, bits]) + CUSTOMIZATION
    return sponge(block.ljust(RATE, b"\0") + data, length, 0x04)


# With the padding of SHAKE256, this sponge gives the bytes of hashlib.
assert sponge(b"order #42", 300, 0x1F) == shake256(b"order #42", 300)


def public_keys():
    """Returns the keys of the trust list, by fingerprint."""
    lines = [line.split(": ", 1) for line in (FOLDER / "trust").read_text().splitlines()]
    encoded = [base64.b64decode(line[1]) for line in lines if line[0] == "public-key"]
    keys = {hashlib.shake_256(key).hexdigest(32): key for key in encoded}
    assert keys.keys() == {line[1] for line in lines if line[0] == "key"}
    return keys


def verify(statement, signature, key, hash):
    n = 1 << key[0]
    length, bound = SETS[n]
    assert len(signature) == length and signature[0] == 0x30 + key[0]
    bits = "".join(f"{byte:08b}" for byte in key[1:])
    h = [int(bits[14 * i:14 * i + 14], 2) for i in range(n)]
    s2 = polynomial(n, signature[41:])
    c = hash_to_point(n, signature[1:41] + statement, hash)
    s1 = [(a - b + Q // 2) % Q - Q // 2 for a, b in zip(c, product(n, s2, h))]
    return sum(x * x for x in s1 + s2) <= bound


def digest(data):
    return hashlib.shake_256(data).hexdigest(64) + f" {len(data)}"


def signed_statements():
    """Yields the name of each file, its statement, the signature and the encoded key."""
    keys, order = public_keys(), (FOLDER / "order.txt").read_bytes()
    for path in sorted([*FOLDER.glob("*.sig"), *FOLDER.glob("*.manifest")]):
        text = path.read_bytes()
        start = text.index(b"falcon-envelope v1\n")
        statement, signature = text[start:].split(b"signature: ")
        fields = dict(line.split(": ", 1) for line in statement.decode().splitlines()[1:])
        content = text[:start] or order
        assert fields["manifest" if start else "file"] == digest(content)
        yield path.name, statement, base64.b64decode(signature.strip() + b"=="), keys[fields["key"]]


def main():
    checked = 0
    for name, statement, signature, key in signed_statements():
        assert verify(statement, signature, key, cshake256)
        assert not verify(statement, signature, key, shake256)
        print(f"{name}: the signature is valid, and none of the statement as a plain message")
        checked += 1
    assert checked == 4


if __name__ == "__main__":
    main()
