"""Checks keys and signatures while another package has changed the processor's rounding mode.

The package codac 2.1.2 leaves the processor rounding up when it is imported. codac.sh runs this
file. Pytest does not collect it, since the tests beside it must run in the usual mode.
"""

import hashlib
import pathlib

import codac  # noqa: F401  # first: it changes the rounding mode

from falconsign import SigningKey, best_engine, det1024

KAT = pathlib.Path(__file__).resolve().parents[3] / "kat"


def rounds_up() -> bool:
    """Whether the processor rounds up now.

    The numbers are parsed at run time, so that Python cannot add them when it compiles this.
    """
    one, tiny = (float.fromhex(text) for text in ("0x1p0", "0x1p-60"))
    return one + tiny > one


def lines(path: str) -> list[list[str]]:
    text = (KAT / path).read_text()
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


def keys() -> int:
    """Keys from seeds are those of the known answers."""
    seen = 0
    for logn, seed, _, expected in lines("keygen/from_seed.txt")[:40]:
        key = SigningKey.from_seed(bytes.fromhex(seed), f"Falcon-{1 << int(logn)}")
        both = key.to_bytes() + key.verifying_key.to_bytes()
        assert hashlib.shake_256(both).hexdigest(32) == expected, f"another key of {seed}"
        seen += 1
    # With rounding up, a reduction would take another path, and both keys would be different.
    for parameters, expected in (("Falcon-512", "904663fa"), ("Falcon-1024", "4ce7aa47")):
        key = SigningKey.from_seed((12).to_bytes(32), parameters)
        assert key.fingerprint.startswith(expected), f"another key of {parameters}"
        seen += 1
    return seen


def deterministic_signatures() -> int:
    """Deterministic signatures are those of the known answers."""
    records = lines("det1024/records.txt")[:32]
    for number, public, compressed, *_ in records:
        key = det1024.SigningKey.from_seed(b"key-%04d" % int(number))
        message = hashlib.shake_256(b"msg-%04d" % int(number)).digest(int(number))
        made = [key.verifying_key.to_bytes(), key.sign(message)]
        assert [hashlib.sha3_256(value).hexdigest() for value in made] == [public, compressed]
    return len(records)


def signatures() -> int:
    """Signatures are valid, one by one and in batches."""
    seen = 0
    for parameters in ("Falcon-512", "Falcon-1024"):
        key = SigningKey.from_seed(bytes([7]) * 32, parameters)
        public = key.verifying_key
        public.verify(key.sign(b"order #42"), b"order #42")
        messages = [b"order #%d" % number for number in range(40)]
        pairs = zip(key.sign_batch(messages), messages, strict=True)
        assert public.verify_batch(pairs) == [True] * 40
        seen += 41
    return seen


assert rounds_up(), "codac does not change the rounding mode any more"
counts = keys(), deterministic_signatures(), signatures()
assert rounds_up(), "falconsign changed the rounding mode"
print("rounding up, {}: {} keys, {} deterministic signatures, {} others".format(best_engine(), *counts))
