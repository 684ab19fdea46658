"""Deterministic Falcon-1024, the scheme of Algorand: a message has one signature under a key.

The keys are those of Falcon-1024. The signatures have encodings of their own.
"""

from ._native import Det1024SigningKey as SigningKey
from ._native import Det1024VerifyingKey as VerifyingKey

__all__ = ["SigningKey", "VerifyingKey"]
