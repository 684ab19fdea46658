"""One signature, one meaning.

The signature of an envelope or manifest is not valid for its text as a plain message. A plain
signature of that text makes no envelope. kat/envelope/check.py, in plain Python, checks both.
"""

import base64
import importlib.util
import sys

import falconsign
import pyarrow as pa
import pytest
from conftest import DETERMINISTIC, KAT, KEYS
from falconsign import (
    DecodeError,
    FalconError,
    InvalidSignature,
    KeyUseError,
    SigningKey,
    VerifyingKey,
    arrow,
    det1024,
)

sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location("check", KAT / "envelope" / "check.py")
assert _spec is not None and _spec.loader is not None
check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)

STATEMENTS = {name: rest for name, *rest in check.signed_statements()}
KEY = KEYS["Falcon-512"]


def signed_in_pieces(key, message):
    signer = key.signer()
    signer.update(message[:7])
    signer.update(message[7:])
    return signer.finalize()


def column(signatures):
    return pa.array(signatures).to_pylist()


# Every function that signs, except that of the deterministic scheme.
DOORS = {
    "sign": lambda key, message: key.sign(message),
    "signer": signed_in_pieces,
    "sign_batch": lambda key, message: key.sign_batch([message, b"another"])[0],
    "sign_batch of keys": lambda key, message: falconsign.sign_batch([(key, message)])[0],
    "arrow.sign": lambda key, message: column(arrow.sign(pa.array([message]), key))[0],
    "arrow.sign of keys": lambda key, message: column(
        arrow.sign(pa.array([message]), pa.array(["name"]), keys={"name": key})
    )[0],
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
    assert falconsign.verify_batch([(key, signature, message)]) == [False]
    column = arrow.verify(pa.array([message]), pa.array([signature]), key)
    assert pa.array(column).to_pylist() == [arrow.INVALID]


@pytest.mark.parametrize("door", DOORS)
def test_a_signature_of_a_message_is_none_of_a_statement(door):
    message = STATEMENTS["order-512.sig"][0]
    signature = DOORS[door](KEY, message)
    key = KEY.verifying_key
    key.verify(signature, message)
    assert check.verify(message, signature, key.to_bytes(), check.shake256)
    assert not check.verify(message, signature, key.to_bytes(), check.cshake256)


def test_a_deterministic_signature_is_none_of_a_statement():
    message = STATEMENTS["order-1024.sig"][0]
    signature = DETERMINISTIC.sign(message)
    DETERMINISTIC.verifying_key.verify(signature, message)
    # The salt version takes the place of the nonce: see `salt` in falcon-core/src/det1024.rs.
    nonce = (signature[1:2] + bytes([10]) + b"FALCON_DET").ljust(40, b"\0")
    padded = (bytes([0x3A]) + nonce + signature[2:]).ljust(1280, b"\0")
    key = DETERMINISTIC.verifying_key.to_bytes()
    assert check.verify(message, padded, key, check.shake256)
    assert not check.verify(message, padded, key, check.cshake256)


# The attribute keyUsage with keyCertSign and cRLSign, as docs/FORMATS.md has it.
USAGE = bytes.fromhex("300b0603551d0f310403020106")


def with_attributes(key, *attributes):
    """The document of a key with these attributes, which are short."""
    content = b"".join(attributes)
    fields = key.to_der()[4:] + bytes([0xA0, len(content)]) + content
    return b"\x30\x82" + len(fields).to_bytes(2) + fields


def pem(der):
    lines = base64.encodebytes(der).decode().replace("\n", "")
    lines = "\n".join(lines[i : i + 64] for i in range(0, len(lines), 64))
    return f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("parameters", KEYS)
def test_a_key_for_certificates_signs_no_message(parameters):
    key = KEYS[parameters]
    assert not key.certificates_only
    der = with_attributes(key, USAGE)
    marked = SigningKey.from_der(der)
    for read in (
        marked,
        SigningKey.from_der(marked.to_der()),
        SigningKey.from_der(marked.to_der(b"horse"), b"horse"),
        SigningKey.from_pem(pem(der)),
        SigningKey.from_pem(marked.to_pem()),
        SigningKey.from_pem(marked.to_pem(b"horse"), b"horse"),
    ):
        assert read.certificates_only
        assert read.to_der() == der
        assert read.to_pem() == pem(der)
        assert read.verifying_key == key.verifying_key
        for door in DOORS.values():
            with pytest.raises(KeyUseError, match="for certificates only"):
                door(read, b"order #42")
    # A marked key is refused among other keys, too.
    with pytest.raises(KeyUseError):
        falconsign.sign_batch([(key, b"order #42"), (marked, b"order #43")])
    names = pa.array(["plain", "plain"])
    with pytest.raises(KeyUseError):
        arrow.sign(pa.array([b"one", b"two"]), names, keys={"plain": key, "marked": marked})
    assert issubclass(KeyUseError, FalconError)
    # The encoding of the specification has no place for the mark.
    assert not SigningKey.from_bytes(marked.to_bytes()).certificates_only


def test_a_deterministic_key_for_certificates_signs_no_message():
    assert not DETERMINISTIC.certificates_only
    der = with_attributes(SigningKey.from_pem(DETERMINISTIC.to_pem()), USAGE)
    marked = det1024.SigningKey.from_pem(pem(der))
    again = det1024.SigningKey.from_pem(marked.to_pem(b"horse"), b"horse")
    for read in (marked, again):
        assert read.certificates_only
        assert read.to_pem() == pem(der)
        assert read.verifying_key == DETERMINISTIC.verifying_key
        for format in ("compressed", "ct"):
            with pytest.raises(KeyUseError):
                read.sign(b"order #42", format=format)


def test_every_class_of_signing_keys_has_the_doors_that_are_tested():
    def signing(of):
        return {name for name in dir(of) if "sign" in name.lower() and not name.startswith("_")}

    assert signing(SigningKey) == {"sign", "sign_batch", "signer"}
    assert signing(det1024.SigningKey) == {"sign"}
    assert signing(arrow) == {"sign"}
    assert {name for name in signing(falconsign) if name[0].islower()} == {"sign_batch"}


def test_other_uses_sign_and_damaged_ones_are_refused():
    # digitalSignature and keyCertSign.
    both = bytes.fromhex("300b0603551d0f310403020284")
    assert not SigningKey.from_der(with_attributes(KEY, both)).certificates_only
    for attributes in (
        (USAGE, USAGE),
        (USAGE[:-1] + b"\0",),
        (USAGE[:-2],),
        (USAGE, both),
    ):
        with pytest.raises(DecodeError):
            SigningKey.from_der(with_attributes(KEY, *attributes))
