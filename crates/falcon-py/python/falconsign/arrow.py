"""Columns of Arrow: verify and sign tables with one call, on all cores.

Columns are objects with the Arrow PyCapsule interface, such as those of pyarrow, polars and duckdb.
They are read without copies. None of these packages is needed.
"""

from typing import Final

from . import _native
from ._native import ArrowArray as Array
from ._native import arrow_sign as sign
from ._native import arrow_verify as verify

VALID: Final = _native.VALID
"""Verdict: the signature is valid. As a bool it is False, so compare verdicts with VALID."""

INVALID: Final = _native.INVALID
"""Verdict: this key did not make the signature for this message."""

MALFORMED: Final = _native.MALFORMED
"""Verdict: the signature is malformed, or the signature or the message is null."""

UNKNOWN_KEY: Final = _native.UNKNOWN_KEY
"""Verdict: the key is null, malformed, or not in the table of keys."""

__all__ = ["INVALID", "MALFORMED", "UNKNOWN_KEY", "VALID", "Array", "sign", "verify"]
