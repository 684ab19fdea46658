"""Keys: encodings, documents, secrets."""

import copy
import hashlib
import pathlib
import pickle
import subprocess
import sys

import numpy
import falconsign
import pytest
from conftest import DETERMINISTIC, KEYS, SETS
from falconsign import (
    FALCON_512,
    FALCON_1024,
    DecodeError,
    FalconError,
    InvalidSignature,
    PasswordError,
    Signature,
    SigningKey,
    VerifyingKey,
    det1024,
)
from hypothesis import given
from hypothesis import strategies as st


def test_generated_keys_differ_and_sign():
    keys = [SigningKey.generate() for _ in range(3)] + [SigningKey.generate(FALCON_1024)]
    assert len({key.fingerprint for key in keys}) == 4
    assert [key.parameters for key in keys] == [FALCON_512] * 3 + [FALCON_1024]
    for key in keys:
        key.verifying_key.verify(key.sign(b"order #42"), b"order #42")


def test_every_encoding_is_read_back(key):
    public = key.verifying_key
    for read in (
        SigningKey.from_bytes(key.to_bytes()),
        SigningKey.from_pem(key.to_pem()),
        SigningKey.from_pem(key.to_pem().encode()),
        SigningKey.from_der(key.to_der()),
        SigningKey.from_pem(key.to_pem(b"secret"), b"secret"),
        SigningKey.from_der(key.to_der(b"secret"), password=bytearray(b"secret")),
    ):
        assert read.to_bytes() == key.to_bytes()
        assert read.verifying_key == public
    for read in (
        VerifyingKey.from_bytes(public.to_bytes()),
        VerifyingKey.from_headerless_bytes(public.to_headerless_bytes()),
        VerifyingKey.from_pem(public.to_pem()),
        VerifyingKey.from_der(public.to_der()),
    ):
        assert read == public
        assert hash(read) == hash(public)
    assert public.to_headerless_bytes() == public.to_bytes()[1:]


def test_documents_have_the_labels_that_other_programs_read(key):
    assert key.to_pem().startswith("-----BEGIN PRIVATE KEY-----\n")
    assert key.to_pem(b"x").startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert key.verifying_key.to_pem().startswith("-----BEGIN PUBLIC KEY-----\n")


def test_an_encrypted_document_is_fresh_and_hides_the_key(key):
    first, second = key.to_der(b"secret"), key.to_der(b"secret")
    assert first != second
    assert key.to_bytes()[1:33] in key.to_der()
    assert key.to_bytes()[1:33] not in first


def test_passwords(key):
    encrypted, plain = key.to_pem(b"secret"), key.to_pem()
    with pytest.raises(PasswordError, match="wrong password"):
        SigningKey.from_pem(encrypted, b"Secret")
    with pytest.raises(PasswordError, match="is encrypted; pass its password"):
        SigningKey.from_pem(encrypted)
    with pytest.raises(PasswordError, match="not encrypted; pass no password"):
        SigningKey.from_pem(plain, b"secret")
    for write in (key.to_pem, key.to_der):
        with pytest.raises(PasswordError, match="is empty"):
            write(b"")
    # A damaged document is not reported as one that is not encrypted.
    der = key.to_der(b"secret")
    for damaged in (der[:-1], b"\x31" + der[1:], b"nonsense", b""):
        with pytest.raises(DecodeError):
            SigningKey.from_der(damaged, b"secret")


@pytest.mark.parametrize("text", ["secret", "Stra\u00dfe \u20ac", "e\u0301", "\u00e9"])
def test_a_password_of_text_is_its_utf8(key, text):
    data = text.encode()
    assert SigningKey.from_pem(key.to_pem(text), data).fingerprint == key.fingerprint
    assert SigningKey.from_der(key.to_der(data), text).fingerprint == key.fingerprint
    if text in ("e\u0301", "\u00e9"):
        # Not normalized: the other form of the same letter is another password.
        with pytest.raises(PasswordError):
            SigningKey.from_pem(key.to_pem(text), {"e\u0301": "\u00e9", "\u00e9": "e\u0301"}[text])


def test_a_file_of_falcon_cli_opens_with_the_same_text():
    # Made by `falcon-cli keygen KEY --seed-file SEED --passphrase-file FILE`.
    text = pathlib.Path(__file__).with_name("falcon_cli_encrypted.pem").read_text()
    key = SigningKey.from_pem(text, password="p\u00e4ssw\u00f6rt")
    assert key.to_bytes() == SigningKey.from_seed(bytes([7]) * 32).to_bytes()
    with pytest.raises(PasswordError, match="wrong password"):
        SigningKey.from_pem(text, password="pa\u0308sswo\u0308rt")


def test_errors_of_passwords_name_them_and_hide_them(key):
    with pytest.raises(TypeError, match="(?m)^password: expected str, bytes .* got int$"):
        key.to_pem(5)
    with pytest.raises(ValueError, match="^password: .* surrogates") as caught:
        key.to_pem("secret\ud800")
    assert "secret" not in repr(caught.value) and caught.value.__cause__ is None
    with pytest.raises(PasswordError, match="is empty"):
        key.to_pem("")


def test_errors_name_the_argument(key):
    public = key.verifying_key
    for call, text in (
        (lambda: key.sign("text"), r"^message: expected bytes .* got str; write message\.encode\(\)$"),
        (lambda: key.sign(b"", format=5), "^format: expected str, got int$"),
        (lambda: key.sign_batch([b"", 5]), r"^messages\[1\]: message: expected bytes .* got int$"),
        (lambda: key.sign_batch("text"), "^messages: expected a list or another iterable, got str$"),
        (lambda: key.sign_batch([b""], threads="2"), "^threads: expected int, got str$"),
        (lambda: key.sign_batch([b""], engine=2), "^engine: expected str, got int$"),
        (lambda: public.verify(5, b""), "^signature: expected bytes .* got int$"),
        (lambda: public.verify_batch([(b"", b""), b""]), r"^pairs\[1\]: expected a tuple of a signature"),
        (lambda: public.verify_batch([(b"",)]), r"^pairs\[0\]: .* got one of 1$"),
        (lambda: SigningKey.from_seed(5), "^seed: expected bytes .* got int$"),
        (lambda: SigningKey.generate(5), "^parameters: expected str, got int$"),
        (lambda: SigningKey.from_bytes(None), "^data: expected bytes .* got NoneType$"),
        (lambda: SigningKey.from_pem(5), "^text: expected str, bytes .* got int$"),
        (lambda: key.signer().update("x"), r"^piece: .* write piece\.encode\(\)$"),
        (lambda: falconsign.sign_batch([(public, b"")]), r"^pairs\[0\]: key: expected SigningKey, got V"),
        (
            lambda: falconsign.verify_batch([(key, b"", b"")]),
            r"^triples\[0\]: key: .* got SigningKey; write key\.verifying_key$",
        ),
    ):
        with pytest.raises(TypeError, match=f"(?m){text}"):
            call()
    with pytest.raises(ValueError, match="^threads is 0"):
        key.sign_batch([b""], threads=0)


def test_malformed_documents_are_refused(key):
    for text in ("", "nonsense", key.verifying_key.to_pem(), key.to_pem().replace("M", "N", 1)):
        with pytest.raises(DecodeError):
            SigningKey.from_pem(text)
    for text in ("", "nonsense", key.to_pem()):
        with pytest.raises(DecodeError):
            VerifyingKey.from_pem(text)
    with pytest.raises(DecodeError, match="UTF-8"):
        SigningKey.from_pem(b"\xff")
    with pytest.raises(DecodeError, match="text instead of bytes.*from_pem"):
        VerifyingKey.from_bytes(key.verifying_key.to_pem().encode())
    assert SigningKey.from_pem(f"\n{key.to_pem()}\n").to_bytes() == key.to_bytes()
    assert VerifyingKey.from_pem(f"\n{key.verifying_key.to_pem()}\n") == key.verifying_key
    with pytest.raises(DecodeError, match="not a public key: .* labelled .PRIVATE KEY"):
        VerifyingKey.from_pem(key.to_pem())
    for read in (SigningKey.from_pem, VerifyingKey.from_pem):
        with pytest.raises(DecodeError, match="the contents of a file, not its name"):
            read("my.key")


def test_malformed_encodings_are_refused(key):
    secret, public = key.to_bytes(), key.verifying_key.to_bytes()
    for damaged in (b"", secret[:-1], secret + b"\0", public, b"\0" + secret[1:]):
        with pytest.raises(DecodeError):
            SigningKey.from_bytes(damaged)
    for damaged in (b"", public[:-1], public + b"\0", secret, public[:1] + b"\xff" * 896):
        with pytest.raises(DecodeError):
            VerifyingKey.from_bytes(damaged)
    with pytest.raises(DecodeError, match="it has 3 bytes"):
        VerifyingKey.from_headerless_bytes(b"abc")
    with pytest.raises(DecodeError, match="from_pem"):
        SigningKey.from_bytes(key.to_pem().encode())


@given(st.binary(max_size=2400))
def test_any_bytes_are_a_key_or_a_decode_error(data):
    for read in (
        SigningKey.from_bytes,
        SigningKey.from_der,
        SigningKey.from_pem,
        VerifyingKey.from_bytes,
        VerifyingKey.from_headerless_bytes,
        VerifyingKey.from_der,
        VerifyingKey.from_pem,
        det1024.SigningKey.from_bytes,
        det1024.VerifyingKey.from_bytes,
        Signature.from_bytes,
    ):
        try:
            read(data)
        except DecodeError as error:
            assert str(error)


@given(st.binary().filter(lambda seed: len(seed) not in (32, 48)))
def test_seeds_of_other_lengths_are_refused(seed):
    with pytest.raises(ValueError, match="it must have 32"):
        SigningKey.from_seed(seed)
    with pytest.raises(ValueError, match="it must have 48"):
        SigningKey.from_reference_seed(seed)


def test_the_fingerprint_is_shake256_of_the_encoding(key):
    expected = hashlib.shake_256(key.verifying_key.to_bytes()).hexdigest(32)
    assert key.fingerprint == key.verifying_key.fingerprint == expected


def test_repr_shows_the_fingerprint_and_no_secret():
    for key in (*KEYS.values(), DETERMINISTIC):
        shown = repr(key) + str(key) + f"{key.signer() if key is not DETERMINISTIC else ''}"
        assert key.fingerprint in shown
        assert key.parameters in shown
        secret = key.to_bytes()
        for at in range(1, len(secret) - 4):
            assert secret[at : at + 4].hex() not in shown.replace(key.fingerprint, "")
    assert KEYS["Falcon-512"].fingerprint in repr(KEYS["Falcon-512"].verifying_key)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_secrets_are_not_pickled(protocol):
    key = KEYS["Falcon-512"]
    for secret in (key, key.signer(), DETERMINISTIC):
        with pytest.raises(TypeError, match="neither pickled nor copied"):
            pickle.dumps(secret, protocol)


def test_secrets_are_not_copied():
    key = KEYS["Falcon-512"]
    for secret in (key, key.signer(), DETERMINISTIC):
        for copied in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="neither pickled nor copied"):
                copied(secret)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_public_values_are_pickled(key, protocol):
    signature = Signature.from_bytes(key.sign(b"order #42"))
    for value in (key.verifying_key, signature, DETERMINISTIC.verifying_key):
        read = pickle.loads(pickle.dumps(value, protocol))
        assert read == value
        assert hash(read) == hash(value)
        assert type(read) is type(value)
        assert copy.copy(value) == copy.deepcopy(value) == value


def test_equality(key, other):
    assert key.verifying_key == SigningKey.from_bytes(key.to_bytes()).verifying_key
    assert key.verifying_key != other.verifying_key
    assert key.verifying_key != key.verifying_key.to_bytes()
    assert len({key.verifying_key, other.verifying_key, key.verifying_key}) == 2
    # As in the package cryptography, secret keys are not compared.
    assert key != SigningKey.from_bytes(key.to_bytes())


def test_keys_are_immutable_and_have_no_constructor(key):
    for kind in (SigningKey, VerifyingKey, Signature):
        with pytest.raises(TypeError):
            kind()
    with pytest.raises(AttributeError):
        key.parameters = "Falcon-1024"
    with pytest.raises(AttributeError):
        key.note = "mine"
    with pytest.raises(TypeError):
        type("Mine", (SigningKey,), {})


# Raises an exception of the package after imports were disabled.
WITHOUT_IMPORTS = """
import builtins
from falconsign import InvalidSignature, SigningKey
key = SigningKey.from_seed(bytes(32))
def refuse(*arguments, **options):
    raise KeyboardInterrupt
builtins.__import__ = refuse
try:
    key.verifying_key.verify(b"", b"")
except InvalidSignature:
    print("raised")
"""


def test_exceptions_need_no_import():
    command = [sys.executable, "-c", WITHOUT_IMPORTS]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "raised\n"


def test_more_bytes_than_memory_are_an_error():
    # An array of 2^46 bytes that all share one byte of memory.
    huge = numpy.broadcast_to(numpy.zeros(1, numpy.uint8), (2**46,))
    key = KEYS["Falcon-512"]
    for call in (
        lambda: key.sign(huge),
        lambda: key.verifying_key.verify(huge, b""),
        lambda: key.signer().update(huge),
        lambda: SigningKey.from_bytes(huge),
    ):
        with pytest.raises(MemoryError, match="no memory for 70368744177664"):
            call()


def test_exceptions_have_their_bases():
    assert issubclass(DecodeError, ValueError)
    assert issubclass(PasswordError, ValueError)
    for error in (DecodeError, PasswordError, InvalidSignature):
        assert issubclass(error, FalconError)
        assert error.__module__ == "falconsign.exceptions"


HOLDER = """
import gc, sys
from falconsign import SigningKey
keys = [SigningKey.from_seed(bytes([99]) * 32, sys.argv[1]) for _ in range(50)]
signatures = [key.sign(b"order #42") for key in keys]
print("held", flush=True)
input()
del keys
gc.collect()
print("freed", flush=True)
input()
"""


def in_memory(process: int, pattern: bytes) -> int:
    """How often `pattern` is in the writable memory of another process."""
    found = 0
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            place, permissions = line.split()[:2]
            if not permissions.startswith("rw"):
                continue
            start, end = (int(address, 16) for address in place.split("-"))
            memory.seek(start)
            found += memory.read(end - start).count(pattern)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", SETS)
def test_a_secret_key_is_wiped_when_it_is_freed(name):
    # The coefficients of F have 8 bits, so the encoding ends with them as they are in memory.
    pattern = SigningKey.from_seed(bytes([99]) * 32, name).to_bytes()[-32:]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        held = in_memory(holder.pid, pattern)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "freed\n"
        freed = in_memory(holder.pid, pattern)
        holder.communicate("\n")
    assert held >= 50, "the test does not see keys in memory"
    assert freed == 0
