#!/usr/bin/env python3
"""Writes records.txt: points of EIP-8052's hash with Keccak-256, in plain Python.

make.py > records.txt

Written from the draft EIP-8052, and from pythonref/keccak_prng.py of ZKNoxHQ/ETHFALCON for details
that the draft leaves open. It shares no code with the crates. Python has no Keccak-256, so Keccak-f
is written here. SHA3-256 computed by the same code is compared with Python's.
"""

import hashlib

Q = 12289
LIMIT = 5 * Q
RATE = 136  # bytes, for both Keccak-256 and SHA3-256
MASK = 2**64 - 1


def rotated(word, by):
    return (word << by | word >> 64 - by) & MASK


def round_constants():
    """Returns the constants of the 24 rounds, from the shift register of FIPS 202, algorithm 5."""
    register, bits = 1, []
    for _ in range(7 * 24):
        bits.append(register & 1)
        register <<= 1
        if register & 0x100:
            register ^= 0x171
    for number in range(24):
        yield sum(bits[7 * number + j] << (2**j - 1) for j in range(7))


CONSTANTS = list(round_constants())


def keccak_f(a):
    """Permutes 25 words; the word of column x and row y is a[x + 5 y]."""
    for constant in CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ rotated(c[(x + 1) % 5], 1) for x in range(5)]
        a = [word ^ d[i % 5] for i, word in enumerate(a)]
        b, (x, y) = [a[0]] + [0] * 24, (1, 0)
        for t in range(24):
            by = (t + 1) * (t + 2) // 2 % 64
            b[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(a[x + 5 * y], by)
            x, y = y, (2 * x + 3 * y) % 5
        a = [b[i] ^ ~b[i // 5 * 5 + (i + 1) % 5] & b[i // 5 * 5 + (i + 2) % 5] for i in range(25)]
        a[0] ^= constant
    return a


def sponge(data, first):
    """Returns 32 bytes of the sponge. The padding begins with the byte `first`."""
    padded = bytearray(data) + bytes([first]) + bytes(-(len(data) + 1) % RATE)
    padded[-1] ^= 0x80
    state = [0] * 25
    for start in range(0, len(padded), RATE):
        for i in range(RATE // 8):
            state[i] ^= int.from_bytes(padded[start + 8 * i:start + 8 * i + 8], "little")
        state = keccak_f(state)
    return b"".join(word.to_bytes(8, "little") for word in state[:4])


def keccak256(data):
    return sponge(data, 0x01)


def words(nonce, message):
    """Yields words of 16 bits from blocks of 32 bytes: each block hashes state and counter."""
    state, counter = keccak256(nonce + message), 0
    while True:
        block = keccak256(state + counter.to_bytes(8, "big"))
        for i in range(0, 32, 2):
            yield int.from_bytes(block[i:i + 2], "big")
        counter += 1


def hash_to_point(n, nonce, message):
    """Returns the point, and all words that were read for it."""
    point, read = [], []
    for word in words(nonce, message):
        read.append(word)
        if word < LIMIT:
            point.append(word % Q)
            if len(point) == n:
                return point, read


def bytes_of(point):
    return b"".join(x.to_bytes(2, "big") for x in point)


def line(n, nonce, message, whole):
    code = bytes_of(hash_to_point(n, nonce, message)[0])
    fields = [str(n), nonce.hex(), message.hex() or "-", hashlib.sha3_256(code).hexdigest()]
    print(" ".join(fields + [code.hex()] * whole))


def check():
    for length in list(range(150)) + [271, 272, 273, 1000]:
        data = hashlib.shake_256(b"check").digest(length)
        assert sponge(data, 0x06) == hashlib.sha3_256(data).digest(), length
    empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert keccak256(b"").hex() == empty


# Nonces and messages of ETHFALCON's vectors, whose points are the same.
ETHFALCON = [
    ("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762fd75dc4ddd8c0f200",
     b"My name is Renaud from ZKNOX!!!!"),
    ("cb05019d67b592f6fc821c49479ab48640292eacb3b7c4be141e96616fb13957692cc7edd0b45ae3",
     b"My name is Simon also from ZKNOX"),
    ("dc07223c8e92937bef84bc0eab862853349ec75546f58fb7c2775c38462c5010d846c185c15111e5",
     b"My name is Nicolas from ZKNOXtoo"),
    ("95522a6bcd16cf86f3d122109e3b1fdd943b6aec468a2d621a7c06c6a957c62b54dafc3be87567d6",
     b"We are ZKNox, you already know!!"),
]

# Lengths of messages. After the nonce of 40 bytes, the messages end at or near the end of a word or
# a block.
LENGTHS = [0, 1, 7, 8, 31, 32, 33, 94, 95, 96, 97, 231, 232, 233, 1000]


def main():
    check()
    print("""\
# Points of the hash with Keccak-256 of the draft EIP-8052, made by make.py. A line has the degree,
# the nonce, the message in hexadecimal ("-" if it is empty), and the SHA3-256 of the point as 16-bit
# big-endian words. The first four lines end with the whole point; nonces, messages and points are
# those of ETHFALCON's vectors 0 to 3. For the last two lines a word is read that is 5 q, which is
# skipped, and one that is 5 q - 1.""")
    for nonce, message in ETHFALCON:
        line(512, bytes.fromhex(nonce), message, True)
    for n in (512, 1024):
        for length in LENGTHS:
            seed = b"%d %d" % (n, length)
            nonce = hashlib.shake_256(b"nonce " + seed).digest(40)
            line(n, nonce, hashlib.shake_256(b"message " + seed).digest(length), False)
    for wanted in (LIMIT, LIMIT - 1):
        k = 0
        while wanted not in hash_to_point(1024, bytes(40), b"%d" % k)[1]:
            k += 1
        line(1024, bytes(40), b"%d" % k, False)


if __name__ == "__main__":
    main()
