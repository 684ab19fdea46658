"""Known answers of the repository, and the package algorand-falcon."""

import hashlib

import pytest
from algorand_falcon import _bindings as algorand
from conftest import DETERMINISTIC, KAT, records
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from falconsign import (
    DecodeError,
    InvalidSignature,
    Signature,
    SigningKey,
    VerifyingKey,
    det1024,
)
from hypothesis import given, settings
from hypothesis import strategies as st


def first_random_bytes(entropy: bytes) -> bytes:
    """The first 48 bytes of NIST's generator AES-256-CTR-DRBG, started from `entropy`."""

    def blocks(key: bytes, counter: bytes) -> bytes:
        values = (int.from_bytes(counter) + number for number in (1, 2, 3))
        plain = b"".join(value.to_bytes(16) for value in values)
        return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(plain)

    state = bytes(a ^ b for a, b in zip(blocks(bytes(32), bytes(16)), entropy, strict=True))
    return blocks(state[:32], state[32:])


@pytest.mark.parametrize("degree", [512, 1024])
def test_nist_known_answers(degree):
    seen = 0
    for record in records(f"falcon-round3/falcon{degree}-KAT.first10.rsp"):
        if "sm" not in record:
            continue
        values = {name: bytes.fromhex(record[name]) for name in ("seed", "msg", "pk", "sk", "sm")}
        key = SigningKey.from_reference_seed(
            first_random_bytes(values["seed"]), f"Falcon-{degree}"
        )
        assert key.to_bytes() == values["sk"]
        assert key.verifying_key.to_bytes() == values["pk"]
        # Length of the signature, nonce, message, compressed signature with a header of its own.
        length = int.from_bytes(values["sm"][:2])
        nonce, body = values["sm"][2:42], values["sm"][-length:]
        assert values["sm"][42:-length] == values["msg"]
        signature = bytes([body[0] | 0x30]) + nonce + body[1:]
        public = VerifyingKey.from_bytes(values["pk"])
        public.verify(signature, values["msg"], format="compressed")
        with pytest.raises(InvalidSignature):
            public.verify(signature, values["msg"] + b"\0", format="compressed")
        padded = Signature.from_bytes(signature, format="compressed").to_bytes()
        assert padded[: len(signature)] == signature
        public.verify(padded, values["msg"])
        seen += 1
    assert seen == 10


def test_keys_of_the_reference_from_seeds():
    seen = 0
    for line in (KAT / "keygen/from_seed.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        logn, seed, _, expected = line.split()
        key = SigningKey.from_seed(bytes.fromhex(seed), f"Falcon-{1 << int(logn)}")
        both = key.to_bytes() + key.verifying_key.to_bytes()
        assert hashlib.shake_256(both).hexdigest(32) == expected
        seen += 1
        if seen == 40:
            break
    assert seen >= 20


def test_deterministic_known_answers():
    seen = 0
    for line in (KAT / "det1024/records.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        number, *values = line.split()
        number = int(number)
        if number >= 32:
            break
        key = det1024.SigningKey.from_seed(b"key-%04d" % number)
        message = hashlib.shake_256(b"msg-%04d" % number).digest(number)
        compressed, fixed = key.sign(message), key.sign(message, format="ct")
        public = key.verifying_key
        public.verify(compressed, message)
        public.verify(fixed, message, format="ct")
        made = [hashlib.sha3_256(value).hexdigest() for value in (public.to_bytes(), compressed, fixed)]
        assert made == values[:3]
        if number == 0:
            assert compressed.hex() == values[3]
        seen += 1
    assert seen == 32


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=1, max_size=80), st.binary(max_size=3000), st.binary(min_size=1, max_size=10))
def test_deterministic_signatures_are_those_of_algorands_code(seed, message, other):
    theirs = algorand.keygen(seed)
    key = det1024.SigningKey.from_seed(seed)
    public = algorand.public_key_from_private(theirs)
    assert key.to_bytes() == theirs
    assert key.verifying_key.to_bytes() == public
    signature = key.sign(message)
    assert signature == algorand.sign_compressed(theirs, message)
    algorand.verify_compressed(public, message, signature)
    det1024.VerifyingKey.from_bytes(public).verify(signature, message)
    with pytest.raises(InvalidSignature, match="^invalid signature$"):
        key.verifying_key.verify(signature, message + other)


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0), st.integers(0, 7))
def test_damaged_deterministic_signatures_are_judged_as_by_algorands_code(byte, bit):
    damaged = bytearray(DETERMINISTIC.sign(b"payment #42"))
    damaged[byte % len(damaged)] ^= 1 << bit
    public = DETERMINISTIC.verifying_key
    with pytest.raises(InvalidSignature):
        public.verify(damaged, b"payment #42")
    with pytest.raises(Exception, match=r"."):
        algorand.verify_compressed(public.to_bytes(), b"payment #42", bytes(damaged))


def test_deterministic_keys():
    key = DETERMINISTIC
    for read in (
        det1024.SigningKey.from_bytes(key.to_bytes()),
        det1024.SigningKey.from_pem(key.to_pem()),
        det1024.SigningKey.from_pem(key.to_pem(b"secret"), b"secret"),
    ):
        assert read.sign(b"payment #42") == key.sign(b"payment #42")
        assert read.fingerprint == key.fingerprint == key.verifying_key.fingerprint
    public = key.verifying_key
    assert det1024.VerifyingKey.from_pem(public.to_pem()) == public
    ordinary = SigningKey.from_pem(key.to_pem())
    assert ordinary.parameters == "Falcon-1024"
    assert ordinary.verifying_key.to_bytes() == public.to_bytes()
    generated = [det1024.SigningKey.generate() for _ in range(2)]
    assert generated[0].verifying_key != generated[1].verifying_key
    with pytest.raises(DecodeError, match="Falcon-1024"):
        det1024.SigningKey.from_pem(SigningKey.from_seed(bytes(32)).to_pem())


def test_deterministic_and_ordinary_signatures_are_told_apart():
    key = DETERMINISTIC
    ordinary = SigningKey.from_bytes(key.to_bytes())
    with pytest.raises(InvalidSignature, match="malformed"):
        ordinary.verifying_key.verify(key.sign(b"x"), b"x", format="compressed")
    with pytest.raises(InvalidSignature, match="malformed"):
        key.verifying_key.verify(ordinary.sign(b"x", format="compressed"), b"x")
    with pytest.raises(InvalidSignature, match="1538"):
        key.verifying_key.verify(key.sign(b"x", format="ct")[:-1], b"x", format="ct")
    for call in (
        lambda: key.sign(b"x", format="padded"),
        lambda: key.verifying_key.verify(key.sign(b"x"), b"x", format="padded"),
    ):
        with pytest.raises(ValueError, match="not \"padded\""):
            call()
    with pytest.raises(TypeError):
        key.sign("x")
    with pytest.raises(ValueError, match="seed is empty"):
        det1024.SigningKey.from_seed(b"")
