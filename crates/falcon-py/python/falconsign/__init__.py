"""Falcon post-quantum signatures (round 3, not FN-DSA).

Keys are SigningKey and VerifyingKey. Signatures are bytes; Signature decodes them. The module
falconsign.det1024 has Algorand's deterministic signatures.
"""

from typing import Final

from . import arrow, det1024, exceptions
from ._native import (
    Signature,
    Signer,
    SigningKey,
    Verifier,
    VerifyingKey,
    __version__,
    best_engine,
    engines,
    sign_batch,
    verify_batch,
)
from .exceptions import (
    AlreadyFinalized,
    DecodeError,
    FalconError,
    FaultError,
    InvalidSignature,
    KeyUseError,
    PasswordError,
)

FALCON_512: Final = "Falcon-512"
"""Name of the parameter set of NIST security level I."""

FALCON_1024: Final = "Falcon-1024"
"""Name of the parameter set of NIST security level V."""

__all__ = [
    "FALCON_1024",
    "FALCON_512",
    "AlreadyFinalized",
    "DecodeError",
    "FalconError",
    "FaultError",
    "InvalidSignature",
    "KeyUseError",
    "PasswordError",
    "Signature",
    "Signer",
    "SigningKey",
    "Verifier",
    "VerifyingKey",
    "__version__",
    "arrow",
    "best_engine",
    "det1024",
    "engines",
    "exceptions",
    "sign_batch",
    "verify_batch",
]
