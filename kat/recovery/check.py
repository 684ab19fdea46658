#!/usr/bin/env python3
"""Recovers the keys of records.txt in plain Python and compares their hashes.

Written from docs/FORMATS.md and section 3.12 of the Falcon specification. Shares no code with the
crates. A quotient is computed from the values at the roots of x^n + 1, and checked with a schoolbook
product. Prints a line for each record, and fails at the first one that is wrong.
"""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from plain_falcon import Q, SETS, hash_to_point, polynomial, product


def values(n, a, root):
    """Returns the values of a at root^1, root^3, root^5, ..., by Horner's rule."""
    out, x, square = [], root, root * root % Q
    for _ in range(n):
        value = 0
        for coefficient in reversed(a):
            value = (value * x + coefficient) % Q
        out.append(value)
        x = x * square % Q
    return out


def quotient(n, a, b):
    """Returns a / b modulo x^n + 1 and q."""
    root = pow(7, 1024 // n, Q)
    assert pow(root, n, Q) == Q - 1
    pairs = zip(values(n, a, root), values(n, b, root))
    ratios = [value * pow(divisor, -1, Q) % Q for value, divisor in pairs]
    # Coefficient i is the mean over k of ratio k times root^(-i (2k + 1)).
    inverse, over_n = pow(root, -1, Q), pow(n, -1, Q)
    out = []
    for i in range(n):
        x, step = pow(inverse, i, Q), pow(inverse, 2 * i, Q)
        value = 0
        for ratio in reversed(ratios):
            value = (value * step + ratio) % Q
        out.append(value * x * over_n % Q)
    return out


def public_key(n, h):
    bits = "".join(f"{coefficient:014b}" for coefficient in h)
    return bytes([n.bit_length() - 1]) + int(bits, 2).to_bytes(len(bits) // 8, "big")


def check(line):
    n, k, _, key_hash, signature = line.split()
    n, signature = int(n), bytes.fromhex(signature)
    padded, bound = SETS[n]
    assert len(signature) == 2 * padded - 41
    assert signature[0] == 0x70 + n.bit_length() - 1
    nonce = signature[1:41]
    s1 = polynomial(n, signature[41:padded])
    s2 = polynomial(n, signature[padded:])
    assert sum(x * x for x in s1 + s2) <= bound
    c = hash_to_point(n, nonce + b"message %s" % k.encode())
    h = quotient(n, [a - b for a, b in zip(c, s1)], s2)
    assert [(a + b) % Q for a, b in zip(product(n, s2, h), s1)] == c
    assert hashlib.shake_256(public_key(n, h)).hexdigest(32) == key_hash
    print(f"Falcon-{n}, record {k}: the key is recovered")


text = pathlib.Path(__file__).with_name("records.txt").read_text()
lines = [line for line in text.splitlines() if not line.startswith("#")]
assert len(lines) == 12
for line in lines:
    check(line)
