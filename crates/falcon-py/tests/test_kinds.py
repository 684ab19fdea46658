"""One signature, one meaning.

The signature of an envelope or manifest does not sign its text as a plain message. And a signature
of that text makes no envelope. The plain Python of kat/envelope/check.py judges both.
"""

import importlib.util
import sys

import falcon_sign
import pyarrow as pa
import pytest
from conftest import DETERMINISTIC, KAT, KEYS
from falcon_sign import InvalidSignature, VerifyingKey, arrow

sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location("check", KAT / "envelope" / "check.py")
assert _spec is not None and _spec.loader is not None
check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)

STATEMENTS = {name: rest for name, *rest in check.signed_statements()}
KEY = KEYS["Falcon-512"]


def signed_in_pieces(message):
    signer = KEY.signer()
    signer.update(message[:7])
    signer.update(message[7:])
    return signer.finalize()


# Everything that signs, but for the deterministic scheme.
DOORS = {
    "sign": KEY.sign,
    "signer": signed_in_pieces,
    "sign_batch": lambda message: KEY.sign_batch([message, b"another"])[0],
    "sign_batch of keys": lambda message: falcon_sign.sign_batch([(KEY, message)])[0],
    "arrow.sign": lambda message: pa.array(arrow.sign(pa.array([message]), KEY)).to_pylist()[0],
}


def test_there_are_statements():
    assert len(STATEMENTS) == 4


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_signature_of_a_statement_is_none_of_a_message(name):
    message, signature, encoded = STATEMENTS[name]
    assert check.verify(message, signature, encoded, check.cshake256)
    key = VerifyingKey.from_bytes(encoded)
    with pytest.raises(InvalidSignature):
        key.verify(signature, message)
    verifier = key.verifier(signature)
    verifier.update(message)
    with pytest.raises(InvalidSignature):
        verifier.verify()
    assert key.verify_batch([(signature, message)]) == [False]
    assert falcon_sign.verify_batch([(key, signature, message)]) == [False]
    column = arrow.verify(pa.array([message]), pa.array([signature]), key)
    assert pa.array(column).to_pylist() == [arrow.INVALID]


@pytest.mark.parametrize("door", DOORS)
def test_a_signature_of_a_message_is_none_of_a_statement(door):
    message = STATEMENTS["order-512.sig"][0]
    signature = DOORS[door](message)
    key = KEY.verifying_key
    key.verify(signature, message)
    assert check.verify(message, signature, key.to_bytes(), check.shake256)
    assert not check.verify(message, signature, key.to_bytes(), check.cshake256)


def test_a_deterministic_signature_is_none_of_a_statement():
    message = STATEMENTS["order-1024.sig"][0]
    signature = DETERMINISTIC.sign(message)
    DETERMINISTIC.verifying_key.verify(signature, message)
    # The version stands for the nonce: see `salt` in falcon-core/src/det1024.rs.
    nonce = (signature[1:2] + bytes([10]) + b"FALCON_DET").ljust(40, b"\0")
    padded = (bytes([0x3A]) + nonce + signature[2:]).ljust(1280, b"\0")
    key = DETERMINISTIC.verifying_key.to_bytes()
    assert check.verify(message, padded, key, check.shake256)
    assert not check.verify(message, padded, key, check.cshake256)
