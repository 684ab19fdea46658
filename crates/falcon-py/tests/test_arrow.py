"""Columns of Arrow, from pyarrow, polars and duckdb."""

import pathlib
import random
import resource
import struct
import subprocess
import sys

import duckdb
import numpy
import polars
import pyarrow as pa
import pytest
from conftest import KEYS, OTHERS
from falconsign import InvalidSignature, Signature, SigningKey, VerifyingKey, arrow
from hypothesis import given, settings
from hypothesis import strategies as st

SMALL, LARGE = KEYS.values()
TYPES = (pa.binary(), pa.large_binary(), pa.binary_view())
VALID, INVALID, MALFORMED, UNKNOWN_KEY = 0, 1, 2, 3
assert (VALID, INVALID) == (arrow.VALID, arrow.INVALID)
assert (MALFORMED, UNKNOWN_KEY) == (arrow.MALFORMED, arrow.UNKNOWN_KEY)


class Stream:
    """An object that has the stream interface and no other."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.column = column

    def __arrow_c_stream__(self) -> object:
        return self.column.__arrow_c_stream__()


def verify(*columns, **options):
    return pa.array(arrow.verify(*columns, **options)).to_pylist()


def rows(count, key=SMALL):
    messages = [b"message %d" % number for number in range(count)]
    return messages, key.sign_batch(messages)


MESSAGES, SIGNATURES = rows(300)


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_binary_type(kind):
    messages, signatures = pa.array(MESSAGES, kind), pa.array(SIGNATURES, kind)
    keys = pa.array([SMALL.verifying_key.to_bytes()] * 300, kind)
    for key in (SMALL.verifying_key, keys):
        assert verify(messages, signatures, key) == [VALID] * 300
    other = OTHERS["Falcon-512"].verifying_key
    assert verify(messages, signatures, other) == [INVALID] * 300
    with pytest.warns(UserWarning, match="Are message and signature swapped"):
        assert verify(signatures, messages, SMALL.verifying_key) == [MALFORMED] * 300
    assert verify(messages, signatures, messages) == [UNKNOWN_KEY] * 300


def test_fixed_size_binary_and_text():
    texts = [f"text {number}" for number in range(50)]
    signatures = pa.array(SMALL.sign_batch([text.encode() for text in texts]), pa.binary(666))
    keys = pa.array([SMALL.verifying_key.to_bytes()] * 50, pa.binary(897))
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert verify(pa.array(texts, kind), signatures, keys) == [VALID] * 50
    sliced = pa.array(texts[10:]), signatures.slice(10), keys.slice(7, 40)
    assert verify(*sliced) == [VALID] * 40
    shifted = pa.array(texts[:40]), signatures.slice(10), keys.slice(7, 40)
    assert verify(*shifted) == [INVALID] * 40
    empty = pa.array([b""] * 3, pa.binary(0))
    signed = pa.array(SMALL.sign_batch([b""] * 3))
    assert verify(empty, signed, SMALL.verifying_key) == [VALID] * 3


def chunked(values, kind, cuts):
    """A column of these chunks, each a slice of a longer array."""
    chunks, last = [], 0
    for cut in [*sorted(cut for cut in cuts if cut < len(values)), len(values)]:
        padded = pa.array([b"before", None, *values[last:cut], b"after"], kind)
        chunks.append(padded.slice(2, cut - last))
        last = cut
    return Stream(pa.chunked_array(chunks, kind))


@settings(max_examples=60)
@given(st.data(), st.integers(0, 60))
def test_chunks_slices_and_nulls_of_both_sets(data, count):
    """The verdict of a row does not depend on the chunks and the other rows."""
    column, expected = [], []
    for number in range(count):
        key = data.draw(st.sampled_from([SMALL, LARGE]))
        message = b"row %d" % number
        signature = key.sign(message)
        public = key.verifying_key.to_bytes()
        verdict = VALID
        match data.draw(st.integers(0, 9)):
            case 0:
                message, verdict = message + b"!", INVALID
            case 1:
                signature, verdict = signature[:-1], MALFORMED
            case 2:
                signature, verdict = None, MALFORMED
            case 3:
                message, verdict = None, MALFORMED
            case 4:
                public, verdict = None, UNKNOWN_KEY
            case 5:
                public, verdict = public[:-1], UNKNOWN_KEY
            case 6:
                public, verdict = OTHERS[key.parameters].verifying_key.to_bytes(), INVALID
        column.append((message, signature, public))
        expected.append(verdict)
    kinds = [data.draw(st.sampled_from(TYPES)) for _ in range(3)]
    cuts = [data.draw(st.lists(st.integers(0, 60), max_size=4)) for _ in range(3)]
    columns = [
        chunked([row[number] for row in column], kinds[number], cuts[number])
        for number in range(3)
    ]
    assert verify(*columns, threads=data.draw(st.sampled_from([None, 1, 3]))) == expected


@pytest.mark.parametrize("format", ["padded", "compressed", "ct"])
def test_rows_of_long_chunks_have_the_verdicts_of_single_calls(format):
    """Chunks end anywhere, so parts and groups of rows begin within chunks."""
    choose = random.Random(format)
    pool = []
    for key, other in zip(KEYS.values(), OTHERS.values(), strict=True):
        for number in range(10):
            message = b"row %d" % number
            signature = key.sign(message, format=format)
            public = key.verifying_key
            pool += [(message, signature, public)] * 3
            pool += [
                (message + b"!", signature, public),
                (message, signature[:-1], public),
                (message, signature, other.verifying_key),
            ]

    def verdict(message, signature, public):
        try:
            Signature.from_bytes(signature, format=format)
        except ValueError:
            return MALFORMED
        try:
            public.verify(signature, message, format=format)
        except InvalidSignature:
            return INVALID
        return VALID

    alone = [verdict(*row) for row in pool]
    assert {VALID, INVALID, MALFORMED} == set(alone)
    for count in (1023, 1024, 1025, 2049, 5000):
        places = [choose.randrange(len(pool)) for _ in range(count)]
        chosen = [pool[place] for place in places]
        columns = [
            chunked(values, pa.binary(), choose.sample(range(count), 4))
            for values in (
                [message for message, _, _ in chosen],
                [signature for _, signature, _ in chosen],
                [public.to_bytes() for _, _, public in chosen],
            )
        ]
        expected = [alone[place] for place in places]
        for threads in (1, 3):
            assert verify(*columns, format=format, threads=threads) == expected


def test_a_dict_that_its_names_change_is_read_once():
    class Name:
        def __index__(self):
            keys[2] = SMALL.verifying_key
            return 1

        __hash__ = object.__hash__

    keys = {Name(): SMALL.verifying_key}
    messages, signatures = pa.array(MESSAGES[:2]), pa.array(SIGNATURES[:2])
    verdicts = verify(messages, signatures, pa.array([1, 2]), keys=keys)
    assert verdicts == [VALID, UNKNOWN_KEY]


def test_a_large_table_has_forged_rows_where_they_are():
    count = 20_000
    messages = [b"%d" % number for number in range(count)]
    keys = [SigningKey.from_seed(bytes([number]) * 32) for number in range(40)]
    names = [number * 7919 % 40 for number in range(count)]
    signed = arrow.sign(
        pa.array(messages), pa.array(names, pa.int16()), keys=dict(enumerate(keys))
    )
    signatures = pa.array(signed).to_pylist()
    forged = {0, 127, 128, 4095, 4096, 9999, count - 1, *random.sample(range(count), 20)}
    for row in forged:
        messages[row] += b"!"
    expected = [INVALID if row in forged else VALID for row in range(count)]
    public = [keys[name].verifying_key for name in names]
    table = {name: key.verifying_key for name, key in enumerate(keys)}
    columns = pa.array(messages), pa.array(signatures)
    for threads in (None, 1, 2, 5):
        encoded = pa.array([key.to_bytes() for key in public])
        assert verify(*columns, encoded, threads=threads) == expected
        assert verify(*columns, pa.array(names), keys=table, threads=threads) == expected


def test_keys_that_look_alike_are_told_apart():
    """The keys share the bytes by which keys are looked up first."""
    public = SMALL.verifying_key.to_bytes()
    alike = [public]
    for number in range(1, 40):
        changed = bytearray(public)
        changed[-1 - number] ^= 1
        alike.append(bytes(changed))
    expected = []
    for key in alike:
        try:
            VerifyingKey.from_bytes(key)
            expected.append(VALID if key == public else INVALID)
        except ValueError:
            expected.append(UNKNOWN_KEY)
    order = list(range(40)) * 3
    random.shuffle(order)
    column = pa.array([alike[number] for number in order])
    messages, signatures = pa.array([b"m"] * 120), pa.array([SMALL.sign(b"m")] * 120)
    assert verify(messages, signatures, column) == [expected[number] for number in order]
    assert expected.count(INVALID) > 10


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_keys_by_number(kind):
    kind = getattr(pa, kind)()
    names = [5, 100, 5, None, 7]
    keys = {5: SMALL.verifying_key, 100: LARGE.verifying_key}
    signed = [SMALL, LARGE, LARGE, SMALL, SMALL]
    columns = pa.array([b"m"] * 5), pa.array([key.sign(b"m") for key in signed])
    expected = [VALID, VALID, MALFORMED, UNKNOWN_KEY, UNKNOWN_KEY]
    assert verify(*columns, pa.array(names, kind), keys=keys) == expected


def test_numbers_keep_their_sign_and_size():
    columns = pa.array([b"m"] * 2), pa.array(SMALL.sign_batch([b"m"] * 2))
    keys = {-1: SMALL.verifying_key, 2**64 - 1: OTHERS["Falcon-512"].verifying_key}
    assert verify(*columns, pa.array([-1, -1], pa.int8()), keys=keys) == [VALID] * 2
    assert verify(*columns, pa.array([2**64 - 1] * 2, pa.uint64()), keys=keys) == [INVALID] * 2
    assert verify(*columns, pa.array([255, 255], pa.uint8()), keys=keys) == [UNKNOWN_KEY] * 2


def test_keys_by_text():
    keys = {"Ann": SMALL.verifying_key, b"a longer name than views hold": LARGE.verifying_key}
    columns = (
        pa.array([b"m"] * 3),
        pa.array([SMALL.sign(b"m"), LARGE.sign(b"m"), SMALL.sign(b"m")]),
    )
    names = ["Ann", "a longer name than views hold", "Bob"]
    for kind in (pa.string(), pa.string_view(), pa.binary()):
        assert verify(*columns, pa.array(names, kind), keys=keys) == [VALID, VALID, UNKNOWN_KEY]


@pytest.mark.parametrize("format", ["padded", "compressed", "ct"])
def test_formats(format):
    messages = pa.array(MESSAGES[:40])
    signatures = pa.array(arrow.sign(messages, SMALL, format=format))
    assert verify(messages, signatures, SMALL.verifying_key, format=format) == [VALID] * 40
    shifted = pa.array(MESSAGES[1:41])
    assert verify(shifted, signatures, SMALL.verifying_key, format=format) == [INVALID] * 40
    other = "padded" if format != "padded" else "ct"
    with pytest.warns(UserWarning, match=f'write format="{format}"'):
        assert verify(messages, signatures, SMALL.verifying_key, format=other) == [MALFORMED] * 40
    first = Signature.from_bytes(signatures[0].as_py(), format=format)
    SMALL.verifying_key.verify(first, MESSAGES[0])


def test_signing_keeps_rows_and_nulls():
    keys = {"small": SMALL, "large": LARGE}
    names = ["large", "small", None, "small", "nobody", "large"]
    messages = [b"0", b"1", b"2", None, b"4", b"5"]
    signed = arrow.sign(pa.array(messages), pa.array(names), keys=keys)
    column = pa.array(signed)
    column.validate(full=True)
    assert column.type == pa.binary()
    assert column.null_count == 3
    assert column.to_pylist() == signed.to_list()
    assert [value is None for value in signed.to_list()] == [False, False, True, True, True, False]
    for row in (0, 1, 5):
        keys[names[row]].verifying_key.verify(column[row].as_py(), messages[row])
    whole = pa.array(arrow.sign(pa.array([b"a", b"b"]), SMALL))
    assert whole.null_count == 0
    assert SMALL.verifying_key.verify_batch(zip(whole.to_pylist(), [b"a", b"b"])) == [True] * 2


def test_results_outlive_what_they_came_from():
    column = pa.array(arrow.verify(pa.array(MESSAGES), pa.array(SIGNATURES), SMALL.verifying_key))
    column.validate(full=True)
    assert column.type == pa.uint8()
    array = arrow.verify(pa.array(MESSAGES), pa.array(SIGNATURES), SMALL.verifying_key)
    assert len(array) == 300
    assert repr(array) == "<Array uint8 of 300 rows>"
    assert pa.array(array) == pa.array(array) == column
    # A capsule that nobody takes frees what it holds.
    for _ in range(3):
        array.__arrow_c_array__()
        array.__arrow_c_schema__()
    assert array.to_list() == [VALID] * 300
    assert pa.field(array).type == pa.uint8()


def test_polars():
    table = polars.DataFrame({"message": MESSAGES, "signature": SIGNATURES})
    table = table.with_columns(key=polars.lit(SMALL.verifying_key.to_bytes()))
    both = polars.concat([table, table.slice(100, 50)], rechunk=False)
    verdicts = arrow.verify(both["message"], both["signature"], both["key"])
    assert polars.Series(verdicts).to_list() == [VALID] * 350
    shifted = arrow.verify(table["message"][1:], table["signature"][:-1], SMALL.verifying_key)
    assert polars.Series(shifted).to_list() == [INVALID] * 299


def test_duckdb_and_tables_of_one_column():
    table = pa.table({"message": MESSAGES, "signature": SIGNATURES})
    database = duckdb.connect()
    database.register("signed", table)
    columns = [
        database.sql(f"SELECT {name} FROM signed") for name in ("message", "signature")
    ]
    assert verify(*columns, SMALL.verifying_key) == [VALID] * 300
    sliced = table.slice(7, 100)
    columns = sliced.select(["message"]), sliced.select(["signature"])
    assert verify(*columns, SMALL.verifying_key) == [VALID] * 100
    batch = table.to_batches()[0].slice(5, 60)
    columns = batch.select(["message"]), batch.select(["signature"])
    assert verify(*columns, SMALL.verifying_key) == [VALID] * 60
    with pytest.raises(TypeError, match="2 columns"):
        verify(table, table, SMALL.verifying_key)


def test_rows_of_one_field():
    rows = pa.StructArray.from_arrays([pa.array(MESSAGES)], ["message"])
    sliced = rows.slice(7, 100).slice(3, 50)
    assert verify(sliced, pa.array(SIGNATURES[10:60]), SMALL.verifying_key) == [VALID] * 50
    mask = pa.array([number == 5 for number in range(300)])
    some = pa.StructArray.from_arrays([pa.array(MESSAGES)], ["message"], mask=mask)
    with pytest.raises(TypeError, match="rows that are null"):
        arrow.verify(some, pa.array(SIGNATURES), SMALL.verifying_key)
    later = some.slice(6)
    assert verify(later, pa.array(SIGNATURES[6:]), SMALL.verifying_key) == [VALID] * 294


def test_empty_columns():
    for kind in TYPES:
        empty = pa.array([], kind)
        assert verify(empty, empty, empty) == []
        assert verify(Stream(pa.chunked_array([], kind)), empty, SMALL.verifying_key) == []
        assert pa.array(arrow.sign(empty, SMALL)).to_pylist() == []


def test_wrong_arguments():
    public = SMALL.verifying_key
    messages, signatures = pa.array(MESSAGES), pa.array(SIGNATURES)
    for call in (
        lambda: arrow.verify(MESSAGES, signatures, public),
        lambda: arrow.verify(messages, signatures, None),
        lambda: arrow.verify(messages, signatures, SMALL),
        lambda: arrow.verify(messages, signatures, public, keys={}),
        lambda: arrow.verify(messages, signatures, messages, keys={1.5: public}),
        lambda: arrow.verify(messages, signatures, messages, keys={"Ann": SMALL}),
        # No row could have a key.
        lambda: arrow.verify(messages, signatures, pa.array(["Ann"] * 300)),
        lambda: arrow.verify(messages, signatures, pa.array(["Ann"] * 300).dictionary_encode()),
        lambda: arrow.verify(messages, signatures, messages, keys={1: public}),
        lambda: arrow.verify(messages, signatures, pa.array(range(300)), keys={"Ann": public}),
        lambda: arrow.sign(messages, messages, keys={1: SMALL}),
        lambda: arrow.sign(messages, pa.array(range(300)), keys={"Ann": SMALL}),
        lambda: arrow.verify(pa.array(range(300)).dictionary_encode(), signatures, public),
        lambda: arrow.verify(pa.array([1.5] * 300), signatures, public),
        lambda: arrow.verify(Stream(pa.chunked_array([[1.5]])), signatures, public),
        # Only names may be integers. Other columns of integers are errors, not malformed rows.
        lambda: arrow.verify(pa.array(range(300)), signatures, public),
        lambda: arrow.verify(messages, pa.array(range(300)), public),
        lambda: arrow.verify(messages, signatures, pa.array(range(300))),
        lambda: arrow.sign(pa.array(range(300)), SMALL),
        lambda: arrow.sign(messages, public),
        lambda: arrow.sign(messages, messages),
        lambda: arrow.sign(messages, SMALL, keys={"Ann": SMALL}),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: arrow.verify(messages, signatures[1:], public),
        lambda: arrow.verify(messages, signatures, signatures[1:]),
        lambda: arrow.verify(messages, signatures, public, threads=0),
        lambda: arrow.verify(messages, signatures, public, format="der"),
        lambda: arrow.sign(messages, messages[1:], keys={}),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int64()], ids=str)
def test_dictionary_columns(index):
    names = pa.array(["Ann", None, "Bob", "Eve", "Ann"] * 9, pa.dictionary(index, pa.string()))
    secret = {"Ann": SMALL, "Bob": LARGE}
    public = {name: key.verifying_key for name, key in secret.items()}
    messages = pa.array([b"one", b"two", b"one", b"two", b"three"] * 9).dictionary_encode()
    signatures = pa.array(arrow.sign(messages, names, keys=secret))
    verdicts = [VALID, UNKNOWN_KEY, VALID, UNKNOWN_KEY, VALID] * 9
    assert verify(messages, signatures, names, keys=public) == verdicts
    assert verify(messages[2:], signatures[2:], names[2:], keys=public) == verdicts[2:]
    encoded = [None if row is None else row.to_bytes() for row in map(public.get, names.to_pylist())]
    encoded = pa.array(encoded, pa.dictionary(index, pa.binary()))
    assert verify(messages, signatures, encoded) == verdicts
    chunked = Stream(pa.chunked_array([names[:7], names[7:]]))
    assert verify(messages, signatures, chunked, keys=public) == verdicts


def test_a_null_in_a_dictionary_is_a_null():
    messages = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([b"one", None]))
    signatures = pa.array(SMALL.sign_batch([b"one", b"two"]))
    assert verify(messages, signatures, SMALL.verifying_key) == [VALID, MALFORMED]


@pytest.mark.parametrize("index", [-1, 2, 2**40])
def test_an_index_beyond_its_dictionary_is_refused(index):
    indices = pa.array([0, index])
    messages = pa.DictionaryArray.from_arrays(indices, pa.array([b"one", b"two"]), safe=False)
    signatures = pa.array(SIGNATURES[:2])
    with pytest.raises(ValueError, match="contradict"):
        arrow.verify(messages, signatures, SMALL.verifying_key)


def test_results_are_sequences_and_arrays_of_numpy():
    verdicts = arrow.verify(pa.array([b"x", *MESSAGES[1:]]), pa.array(SIGNATURES), SMALL.verifying_key)
    expected = [INVALID] + [VALID] * 299
    assert list(verdicts) == verdicts.to_list() == expected
    assert (verdicts[0], verdicts[-1], verdicts[299], verdicts[-300]) == (1, 0, 0, 1)
    for row in (300, -301, 2**62, -(2**62)):
        with pytest.raises(IndexError, match="300 rows"):
            verdicts[row]
    array = numpy.asarray(verdicts)
    assert array.dtype == numpy.uint8 and array.tolist() == expected
    assert (array != arrow.VALID).sum() == 1
    array[0] = 7
    assert verdicts[0] == INVALID
    assert numpy.asarray(verdicts, dtype=float).tolist() == expected
    with pytest.raises(ValueError, match="cannot share"):
        numpy.asarray(verdicts, copy=False)
    signed = arrow.sign(pa.array([b"one", None]), SMALL)
    array = numpy.asarray(signed)
    assert array.dtype == object and array.tolist() == signed.to_list() and signed[1] is None


def test_results_are_not_compared_as_a_whole():
    verdicts = arrow.verify(pa.array(MESSAGES), pa.array(SIGNATURES), SMALL.verifying_key)
    for compare in (
        lambda: verdicts == arrow.VALID,
        lambda: verdicts != arrow.INVALID,
        lambda: verdicts > 0,
        lambda: [verdicts] == [0],
    ):
        with pytest.raises(TypeError, match="not compared"):
            compare()


def test_columns_of_nulls():
    nulls = pa.nulls(2)
    messages, signatures = pa.array(MESSAGES[:2]), pa.array(SIGNATURES[:2])
    public = SMALL.verifying_key
    assert verify(nulls, signatures, public) == [MALFORMED] * 2
    assert verify(messages, nulls, public) == [MALFORMED] * 2
    assert verify(messages, signatures, nulls) == [UNKNOWN_KEY] * 2
    assert verify(messages, signatures, nulls, keys={"Ann": public}) == [UNKNOWN_KEY] * 2
    assert arrow.sign(nulls, SMALL).to_list() == [None, None]


def test_errors_name_the_argument_and_the_type():
    public = SMALL.verifying_key
    messages, signatures = pa.array(MESSAGES), pa.array(SIGNATURES)
    floats = pa.array([1.5] * 300)
    lists = Stream(pa.chunked_array([[[b"x"]] * 300]))
    for call, text in (
        (lambda: arrow.verify(floats, signatures, public), "message: .* of floating-point numbers"),
        (lambda: arrow.verify(messages, lists, public), "signature: .* of nested values"),
        (lambda: arrow.verify(messages, signatures, pa.array([True] * 300)), "key: .* of booleans"),
        (lambda: arrow.verify(MESSAGES, signatures, public), r"got list; pyarrow\.array\(message\)"),
        (lambda: arrow.verify(b"m", signatures, public), r"message: .* got bytes; pyarrow\.array\(\[message"),
        (lambda: arrow.verify(messages, signatures, SMALL), r"^key: .* got SigningKey; write key\.verifying_key$"),
        (lambda: arrow.verify(messages, signatures, b""), r"^key: .* write VerifyingKey\.from_bytes\(key\)$"),
        (lambda: arrow.verify(messages, signatures, messages, keys={"Ann": SMALL}), r"^keys\['Ann'\]: expected VerifyingKey"),
        (lambda: arrow.verify(messages, signatures, messages, keys=[]), "^keys: expected a dict"),
        (lambda: arrow.verify(messages, signatures), r"^verify\(\) needs key: one VerifyingKey"),
        (lambda: arrow.sign(messages), r"^sign\(\) needs key: one SigningKey"),
        (lambda: arrow.verify(messages), r"^verify\(\) missing 1 required"),
        (lambda: arrow.sign(messages, public), "^key: expected a SigningKey, .* got VerifyingKey$"),
        (lambda: arrow.sign(messages, messages), "^key is a column of names; pass"),
    ):
        with pytest.raises(TypeError, match=text):
            call()


def test_verdicts_have_no_truth_value():
    for column in (pa.array(MESSAGES), pa.array([], pa.binary())):
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(arrow.verify(column, column, SMALL.verifying_key))


def test_more_rows_than_memory_are_an_error():
    rows = pa.Array.from_buffers(pa.binary(0), 2**60, [None, pa.py_buffer(b"")])
    for call in (
        lambda: arrow.verify(rows, rows, SMALL.verifying_key),
        lambda: arrow.sign(rows, SMALL),
    ):
        with pytest.raises(MemoryError):
            call()


def test_two_names_with_the_same_bytes_are_refused():
    keys = {"Ann": SMALL.verifying_key, b"Ann": LARGE.verifying_key}
    with pytest.raises(ValueError, match="the same bytes"):
        arrow.verify(pa.array(MESSAGES), pa.array(SIGNATURES), pa.array(MESSAGES), keys=keys)


def resident() -> int:
    """Bytes of memory that this process uses."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_is_kept():
    """Buffers that came in are released, and results are freed."""
    public = SMALL.verifying_key
    allocated = pa.total_allocated_bytes()
    for kind in TYPES:
        columns = pa.array(MESSAGES, kind), pa.array(SIGNATURES, kind)
        assert pa.total_allocated_bytes() > allocated
        streams = [Stream(pa.chunked_array([column])) for column in columns]
        verify(*columns, public)
        verify(*streams, public)
        pa.array(arrow.sign(columns[0], SMALL))
        with pytest.raises(ValueError):
            arrow.verify(streams[0], columns[1][1:], public)
        del columns, streams
        assert pa.total_allocated_bytes() == allocated

    messages = pa.nulls(1_000_000, pa.binary())
    arrow.verify(messages, messages, public, threads=1)
    before = resident()
    for _ in range(300):
        result = arrow.verify(messages, messages, public, threads=1)
        pa.array(result)
        result.__arrow_c_array__()
    assert resident() - before < 100_000_000


def view(length: int, buffer: int, start: int) -> bytes:
    """A view of a value that is longer than twelve bytes."""
    return struct.pack("<i4sii", length, b"mess", buffer, start)


def view_column(data: bytes) -> pa.Array:
    values = pa.py_buffer(b"message of twenty by")
    return pa.Array.from_buffers(pa.binary_view(), 1, [None, pa.py_buffer(data), values])


def offset_column(start: int, end: int) -> pa.Array:
    """A column of one value with the offsets `start` and `end`, which pyarrow does not check."""
    packed = pa.py_buffer(struct.pack("<4i", 0, start, end, 7))
    buffers = [None, packed, pa.py_buffer(b"message")]
    return pa.Array.from_buffers(pa.binary(), 3, buffers).slice(1, 1)


def test_buffers_that_contradict_each_other_are_refused():
    signature, public = pa.array([SMALL.sign(b"message")]), SMALL.verifying_key
    assert verify(offset_column(0, 7), signature, public) == [VALID]
    whole = pa.array([SMALL.sign(b"message of twenty by")])
    assert verify(view_column(view(20, 0, 0)), whole, public) == [VALID]
    for column in (
        offset_column(7, 0),
        offset_column(-1, 7),
        view_column(view(20, 1, 0)),
        view_column(view(20, -1, 0)),
        view_column(view(20, 0, 1)),
        view_column(view(20, 0, -1)),
        view_column(view(-1, 0, 0)),
        view_column(view(2**31 - 1, 0, 0)),
    ):
        with pytest.raises(ValueError, match="contradict"):
            arrow.verify(column, signature, public)
        with pytest.raises(ValueError, match="contradict"):
            arrow.verify(signature, column, public)
        with pytest.raises(ValueError, match="contradict"):
            arrow.verify(signature, signature, column)
        with pytest.raises(ValueError, match="contradict"):
            arrow.sign(column, SMALL)


def test_a_capsule_is_taken_once():
    class Again:
        def __init__(self, column):
            self.capsules = column.__arrow_c_array__()

        def __arrow_c_array__(self):
            return self.capsules

    messages = Again(pa.array(MESSAGES))
    assert verify(messages, pa.array(SIGNATURES), SMALL.verifying_key) == [VALID] * 300
    with pytest.raises(ValueError, match="released already"):
        arrow.verify(messages, pa.array(SIGNATURES), SMALL.verifying_key)


SCANNED = """
import pyarrow as pa
import pyarrow.dataset
from falconsign import SigningKey, arrow

batches = (pa.record_batch({"message": [b"message"] * 100}) for _ in range(200))
schema = pa.schema([("message", pa.binary())])
messages = pyarrow.dataset.Scanner.from_batches(batches, schema=schema).to_reader()
key = SigningKey.from_seed(bytes(32))
signatures = pa.array([key.sign(b"message")] * 20_000)
assert not any(arrow.verify(messages, signatures, key.verifying_key).to_list())
"""


def test_a_stream_may_wait_for_threads_that_run_python():
    # It would hang if the GIL were held meanwhile.
    subprocess.run([sys.executable, "-c", SCANNED], check=True, timeout=60)


def test_a_stream_that_fails_is_an_error():
    def batches():
        yield pa.record_batch({"message": MESSAGES})
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("message", pa.binary())]), batches())
    with pytest.raises(ValueError, match="the disk is gone"):
        arrow.verify(reader, pa.array(SIGNATURES), SMALL.verifying_key)


def test_counts_and_names():
    names = ["valid", "invalid", "malformed", "unknown_key"]
    public = SMALL.verifying_key
    messages = pa.array([MESSAGES[0], b"other", None, MESSAGES[3], MESSAGES[4]])
    keys = pa.array([public.to_bytes()] * 3 + [None, public.to_bytes()])
    verdicts = arrow.verify(messages, pa.array(SIGNATURES[:5]), keys)
    assert verdicts.counts() == dict(zip(names, (2, 1, 1, 1), strict=True))
    column = pa.array(verdicts.names())
    column.validate(full=True)
    assert column.type == pa.string() and column.to_pylist() == [*names, "valid"]
    assert verdicts.names().to_list() == [*names, "valid"]
    assert polars.Series(verdicts.names()).to_list() == [*names, "valid"]
    empty = arrow.verify(pa.array([], pa.binary()), pa.array([], pa.binary()), public)
    assert empty.counts() == dict.fromkeys(names, 0)
    assert pa.array(empty.names()).to_pylist() == []
    signed = arrow.sign(messages, SMALL)
    assert signed.counts() == {"signed": 4, "null": 1}
    for call in (signed.names, verdicts.names().names, verdicts.names().counts):
        with pytest.raises(TypeError):
            call()


def test_rows_that_are_malformed_for_other_reasons_give_no_warning():
    nulls = pa.nulls(2, pa.binary())
    assert verify(nulls, nulls, SMALL.verifying_key) == [MALFORMED] * 2
    assert verify(pa.array([b"m"]), pa.array([b"x"]), SMALL.verifying_key) == [MALFORMED]
    # Some rows are malformed, and not all.
    swapped = pa.array([MESSAGES[0], SIGNATURES[1]]), pa.array([SIGNATURES[0], MESSAGES[1]])
    assert verify(*swapped, SMALL.verifying_key) == [VALID, MALFORMED]
