"""Signing and verifying: formats, pieces, batches, types."""

import array
import mmap

import pytest
from conftest import KEYS, OTHERS, SETS
from falconsign import (
    AlreadyFinalized,
    DecodeError,
    InvalidSignature,
    Signature,
    SigningKey,
    best_engine,
    engines,
    sign_batch,
    verify_batch,
)
from hypothesis import given, settings
from hypothesis import strategies as st

FORMATS = ("padded", "compressed", "ct")
LENGTHS = {
    ("Falcon-512", "padded"): 666,
    ("Falcon-1024", "padded"): 1280,
    ("Falcon-512", "ct"): 809,
    ("Falcon-1024", "ct"): 1577,
}
keys = st.sampled_from(list(KEYS.values()))


@given(keys, st.binary(max_size=5000), st.sampled_from(FORMATS))
def test_signatures_are_valid_for_their_message_only(key, message, format):
    signature = key.sign(message, format=format)
    public = key.verifying_key
    assert public.verify(signature, message, format=format) is None
    assert len(signature) == LENGTHS.get((key.parameters, format), len(signature))
    with pytest.raises(InvalidSignature, match="^invalid signature$"):
        public.verify(signature, message + b"\0", format=format)
    with pytest.raises(InvalidSignature, match="^invalid signature$"):
        OTHERS[key.parameters].verifying_key.verify(signature, message, format=format)


@given(keys, st.sampled_from(FORMATS), st.integers(min_value=0), st.integers(0, 7))
def test_no_damaged_signature_is_valid(key, format, byte, bit):
    damaged = bytearray(key.sign(b"order #42", format=format))
    damaged[byte % len(damaged)] ^= 1 << bit
    with pytest.raises(InvalidSignature):
        key.verifying_key.verify(damaged, b"order #42", format=format)
    verdicts = key.verifying_key.verify_batch([(damaged, b"order #42")] * 5, format=format)
    assert verdicts == [False] * 5


@given(keys, st.sampled_from(FORMATS), st.integers(min_value=0))
def test_a_cut_signature_is_malformed(key, format, cut):
    signature = key.sign(b"order #42", format=format)
    with pytest.raises(InvalidSignature, match="malformed signature"):
        key.verifying_key.verify(signature[: cut % len(signature)], b"order #42", format=format)
    with pytest.raises(InvalidSignature, match="malformed signature"):
        key.verifying_key.verify(signature + b"\1", b"order #42", format=format)


def test_a_message_has_many_signatures(key):
    assert len({key.sign(b"order #42") for _ in range(5)}) == 5
    assert len(set(key.sign_batch([b"order #42"] * 5))) == 5


def test_a_format_is_read_as_itself_only(key):
    value = Signature.from_bytes(key.sign(b"order #42"))
    for written in FORMATS:
        data = value.to_bytes(format=written)
        assert Signature.detect_format(data) == written
        assert Signature.from_bytes(data, format=written) == value
        for read in FORMATS:
            if read == written:
                key.verifying_key.verify(data, b"order #42", format=read)
            else:
                with pytest.raises(InvalidSignature, match="malformed"):
                    key.verifying_key.verify(data, b"order #42", format=read)
                with pytest.raises(DecodeError, match="malformed"):
                    Signature.from_bytes(data, format=read)


def test_decoded_signatures(key, other):
    data = key.sign(b"order #42")
    value = Signature.from_bytes(data)
    assert value.to_bytes() == data
    assert value.nonce == data[1:41]
    assert value.parameters == key.parameters
    assert value.nonce.hex() in repr(value)
    assert value != Signature.from_bytes(key.sign(b"order #42"))
    key.verifying_key.verify(value, b"order #42")
    with pytest.raises(InvalidSignature):
        other.verifying_key.verify(value, b"order #42")
    another = next(OTHERS[name] for name in SETS if name != key.parameters)
    with pytest.raises(InvalidSignature):
        another.verifying_key.verify(value, b"order #42")


def test_a_signature_of_the_other_set_is_malformed(key):
    another = next(KEYS[name] for name in SETS if name != key.parameters)
    signature = key.sign(b"message")
    with pytest.raises(InvalidSignature, match="Are signature and message swapped"):
        key.verifying_key.verify(b"message", signature)
    with pytest.raises(InvalidSignature, match="its first byte is that of another format"):
        key.verifying_key.verify(key.sign(b"message", format="ct"), b"message")
    with pytest.raises(InvalidSignature, match="malformed signature: .* a padded Falcon"):
        another.verifying_key.verify(key.sign(b"order #42"), b"order #42")


@given(keys, st.lists(st.binary(max_size=400)), st.sampled_from(FORMATS))
def test_pieces_are_the_whole_message(key, pieces, format):
    signer = key.signer()
    for piece in pieces:
        signer.update(piece)
    signature = signer.finalize(format=format)
    whole = b"".join(pieces)
    key.verifying_key.verify(signature, whole, format=format)
    verifier = key.verifying_key.verifier(signature, format=format)
    for byte in whole:
        verifier.update(bytes([byte]))
    assert verifier.verify() is None
    verifier = key.verifying_key.verifier(signature, format=format)
    verifier.update(whole + b"\0")
    with pytest.raises(InvalidSignature):
        verifier.verify()


def test_a_message_in_pieces_ends_once(key):
    signer = key.signer()
    signature = signer.finalize()
    for again in (signer.finalize, lambda: signer.update(b"x")):
        with pytest.raises(AlreadyFinalized):
            again()
    for data in (signature, Signature.from_bytes(signature)):
        verifier = key.verifying_key.verifier(data)
        verifier.verify()
        for again in (verifier.verify, lambda: verifier.update(b"x")):
            with pytest.raises(AlreadyFinalized):
                again()
    with pytest.raises(InvalidSignature, match="malformed"):
        key.verifying_key.verifier(signature[:-1])


def test_a_signer_keeps_its_key():
    signer = SigningKey.from_seed(bytes(32)).signer()
    public = SigningKey.from_seed(bytes(32)).verifying_key
    signer.update(b"order #42")
    public.verify(signer.finalize(), b"order #42")


@settings(max_examples=20)
@given(
    st.lists(st.tuples(keys, st.binary(max_size=300)), max_size=40),
    st.sampled_from(FORMATS),
    st.sampled_from([None, *engines()]),
    st.sampled_from([None, 1, 2, 3]),
    st.sets(st.integers(0, 39)),
)
def test_batches_of_both_sets(jobs, format, engine, threads, forged):
    options = {"format": format, "engine": engine, "threads": threads}
    signatures = sign_batch(jobs, **options)
    for (key, message), signature in zip(jobs, signatures, strict=True):
        key.verifying_key.verify(signature, message, format=format)
    triples = [
        (key.verifying_key, signature, message + b"!" * (place in forged))
        for place, ((key, message), signature) in enumerate(zip(jobs, signatures, strict=True))
    ]
    expected = [place not in forged for place in range(len(jobs))]
    assert verify_batch(triples, **options) == expected
    decoded = [
        (key, Signature.from_bytes(signature, format=format), message)
        for key, signature, message in triples
    ]
    assert verify_batch(iter(decoded), engine=engine, threads=threads) == expected


def test_a_large_batch_of_one_key(key):
    messages = [b"%d" % number for number in range(1000)]
    signatures = key.sign_batch(iter(messages))
    assert len(set(signatures)) == 1000
    pairs = list(zip(signatures, messages, strict=True))
    pairs[0], pairs[500], pairs[999] = (b"", b"0"), pairs[499], (signatures[999], b"other")
    pairs[500] = (signatures[499], b"500")
    for threads in (None, 1, 2, 7):
        verdicts = key.verifying_key.verify_batch(pairs, threads=threads)
        assert [place for place, valid in enumerate(verdicts) if not valid] == [0, 500, 999]


def test_a_decoded_signature_of_the_other_set_is_not_valid_in_a_batch():
    small, large = KEYS.values()
    value = Signature.from_bytes(large.sign(b"x"))
    verdicts = verify_batch([(small.verifying_key, value, b"x"), (large.verifying_key, value, b"x")])
    assert verdicts == [False, True]


def test_empty_batches(key):
    assert key.sign_batch([]) == sign_batch([]) == []
    assert key.verifying_key.verify_batch([]) == verify_batch([]) == []


def test_engines():
    assert best_engine() in engines()
    assert {"scalar", "soft"} <= engines().keys()
    assert all(engines().values())


def test_unknown_names_are_refused(key):
    public = key.verifying_key
    for call in (
        lambda: SigningKey.generate("Falcon-256"),
        lambda: key.sign(b"", format="der"),
        lambda: public.verify(b"", b"", format="PADDED"),
        lambda: key.sign_batch([b""], engine="abacus"),
        lambda: public.verify_batch([(b"", b"")], engine=""),
        lambda: key.sign_batch([b""], threads=0),
        lambda: public.verify_batch([(b"", b"")], threads=-1),
    ):
        with pytest.raises(ValueError, match="unknown|no engine|threads is"):
            call()


def test_buffers_of_bytes_are_messages(key, tmp_path):
    message = bytes(range(200))
    path = tmp_path / "message"
    path.write_bytes(message)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        buffers = [
            bytearray(message),
            memoryview(message),
            memoryview(bytearray(message)),
            memoryview(message + message)[:200],
            # Not contiguous: every second byte.
            memoryview(bytes(byte for byte in message for _ in range(2)))[::2],
            array.array("B", message),
            mapped,
        ]
        for buffer in buffers:
            key.verifying_key.verify(key.sign(buffer), message)
            key.verifying_key.verify(bytearray(key.sign(message)), buffer)


@pytest.mark.parametrize("wrong", ["text", 1, 1.5, None, [1, 2], object(), array.array("I", [1])])
def test_wrong_types_are_refused(key, wrong):
    public = key.verifying_key
    signature = key.sign(b"")
    for call in (
        lambda: SigningKey.from_seed(wrong),
        lambda: SigningKey.from_reference_seed(wrong),
        lambda: SigningKey.from_bytes(wrong),
        lambda: SigningKey.from_der(wrong),
        lambda: key.sign(wrong),
        lambda: key.sign_batch([wrong]),
        lambda: key.signer().update(wrong),
        lambda: public.verify(wrong, b""),
        lambda: public.verify(signature, wrong),
        lambda: public.verifier(wrong),
        lambda: public.verifier(signature).update(wrong),
        lambda: public.verify_batch([(wrong, b"")]),
        lambda: public.verify_batch([(signature, wrong)]),
        lambda: verify_batch([(wrong, signature, b"")]),
        lambda: sign_batch([(wrong, b"")]),
        lambda: Signature.from_bytes(wrong),
    ):
        with pytest.raises(TypeError):
            call()
    if not isinstance(wrong, str):
        for call in (
            lambda: SigningKey.generate(wrong),
            lambda: SigningKey.from_pem(wrong),
            lambda: key.sign(b"", format=wrong),
        ):
            with pytest.raises(TypeError):
                call()


def test_arguments_are_by_name_where_they_could_be_confused(key):
    with pytest.raises(TypeError):
        key.sign(b"", "padded")
    with pytest.raises(TypeError):
        key.verifying_key.verify(b"", b"", "padded")
    with pytest.raises(TypeError):
        key.sign()
