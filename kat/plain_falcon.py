"""Falcon's arithmetic in plain Python, for the checks of vectors in this folder.

Written from the Falcon specification v1.2, sections 3.7 to 3.12. Shares no code with the crates.
"""

import hashlib

Q = 12289
# For each n: length of a padded signature, and bound on the squared norm.
SETS = {512: (666, 34034726), 1024: (1280, 70265242)}


def polynomial(n, code):
    """Decodes n code words. Only zeros may follow them."""
    bits = "".join(f"{byte:08b}" for byte in code)
    at, out = 0, []
    for _ in range(n):
        sign, low = bits[at] == "1", int(bits[at + 1:at + 8], 2)
        one = bits.index("1", at + 8)
        magnitude = low + ((one - at - 8) << 7)
        assert magnitude <= 2047 and not (sign and magnitude == 0)
        out.append(-magnitude if sign else magnitude)
        at = one + 1
    assert "1" not in bits[at:]
    return out


def shake256(data, length):
    return hashlib.shake_256(data).digest(length)


def hash_to_point(n, data, hash=shake256):
    point, stream = [], hash(data, 8 * n)
    for at in range(0, len(stream), 2):
        word = int.from_bytes(stream[at:at + 2], "big")
        if word < 5 * Q:
            point.append(word % Q)
    return point[:n]


def product(n, a, b):
    """Returns a b modulo x^n + 1 and q, computed coefficient by coefficient."""
    out = [0] * (2 * n)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return [(low - high) % Q for low, high in zip(out[:n], out[n:])]
