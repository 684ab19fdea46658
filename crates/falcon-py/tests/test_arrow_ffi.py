"""Structures of Arrow's C data interface that no Arrow library would make."""

import ctypes
from collections.abc import Callable

import pyarrow as pa
import pytest
from conftest import KEYS
from falconsign import arrow

KEY = KEYS["Falcon-512"]
LARGEST = 2**63 - 1
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
SCHEMA, ARRAY = b"arrow_schema", b"arrow_array"
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", RELEASE),
        ("private_data", ctypes.c_void_p),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", RELEASE),
        ("private_data", ctypes.c_void_p),
    ]


def pointers(*targets: object) -> ctypes.Array[ctypes.c_void_p]:
    addresses = [None if target is None else ctypes.addressof(target) for target in targets]
    return (ctypes.c_void_p * len(targets))(*addresses)


class Column:
    """A column that counts how often each of its structures is released."""

    def __init__(
        self, format: bytes, length: int = 1, offset: int = 0, nulls: int = 0, buffers: bool = True
    ) -> None:
        self.released = [0, 0]
        self.callbacks = [self.counter(0), self.counter(1)]
        self.validity = ctypes.create_string_buffer(b"\xff" * 8)
        self.data = ctypes.create_string_buffer(b"abcdefgh" * 8)
        self.buffers = pointers(self.validity, self.data)
        self.schema = Schema(format=format, release=self.callbacks[0])
        self.array = Array(length, nulls, offset, 2, release=self.callbacks[1])
        if buffers:
            self.array.buffers = self.buffers

    def counter(self, place: int) -> Callable[[int], None]:
        def release(_: int) -> None:
            self.released[place] += 1

        return RELEASE(release)

    def __arrow_c_array__(self) -> tuple[object, object]:
        return (
            new_capsule(ctypes.addressof(self.schema), SCHEMA, None),
            new_capsule(ctypes.addressof(self.array), ARRAY, None),
        )


class Rows(Column):
    """Rows of one field. If `child` is None, the field is announced but missing."""

    def __init__(self, child: Column | None, null: bool = False, **options: int) -> None:
        super().__init__(b"+s", **options)
        self.child = child
        self.children = [
            pointers(None if child is None else part) for part in (child and child.schema, child and child.array)
        ]
        self.schema.n_children = self.array.n_children = 1
        if not null:
            self.schema.children, self.array.children = self.children


def flat(**options: int) -> Column:
    return Column(b"w:1", **options)


@pytest.mark.parametrize("column", [flat(), flat(offset=3), Rows(flat()), Rows(flat(length=4), offset=3)])
def test_such_columns_are_read(column):
    message = b"d" if column.array.offset else b"a"
    signature = pa.array([KEY.sign(message)])
    assert arrow.verify(column, signature, KEY.verifying_key).to_list() == [arrow.VALID]
    assert column.released == [1, 1]
    # Children belong to their parent.
    if isinstance(column, Rows):
        assert column.child.released == [0, 0]


@pytest.mark.parametrize(
    "column",
    [
        flat(length=-1),
        flat(offset=-1),
        flat(offset=LARGEST),
        flat(buffers=False),
        Column(b"w:2147483647", offset=2**40),
        Column(b"vz"),
        Rows(None),
        Rows(None, null=True),
        Rows(flat(), length=2),
        Rows(flat(), length=-5),
        Rows(flat(), length=LARGEST, offset=1, nulls=1),
        Rows(flat(), offset=LARGEST),
        Rows(flat(), offset=-(2**40), nulls=1),
        Rows(flat(offset=LARGEST)),
    ],
)
def test_contradictions_are_refused_and_released_once(column):
    with pytest.raises(ValueError, match="contradict"):
        arrow.verify(column, pa.array([b""]), KEY.verifying_key)
    assert column.released == [1, 1]


@pytest.mark.parametrize("format", [b"", b"w:", b"w:-1", b"w:9223372036854775808", b"w:4294967296", b"\xff"])
def test_other_types_are_refused_and_released_once(format):
    column = Column(format)
    with pytest.raises(TypeError, match="an Arrow column of an unknown type"):
        arrow.verify(column, pa.array([b""]), KEY.verifying_key)
    assert column.released == [1, 1]
