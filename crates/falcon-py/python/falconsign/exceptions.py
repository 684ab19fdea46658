"""Exceptions of falconsign. All are subclasses of FalconError.

Arguments of a wrong type raise TypeError. Unknown names and wrong lengths of seeds raise ValueError.
"""

__all__ = [
    "AlreadyFinalized",
    "DecodeError",
    "FalconError",
    "FaultError",
    "InvalidSignature",
    "KeyUseError",
    "PasswordError",
]


class FalconError(Exception):
    """Base class of the exceptions of this package."""


class InvalidSignature(FalconError):
    """The signature is malformed, or this key did not make it for this message."""


class DecodeError(FalconError, ValueError):
    """The bytes or the text are not an encoded key or signature."""


class PasswordError(FalconError, ValueError):
    """The password is wrong, empty, missing, or given for a key that is not encrypted."""


class KeyUseError(FalconError):
    """The key is for certificates only, and this package signs messages only."""


class AlreadyFinalized(FalconError):
    """The Signer or Verifier has finished its message."""


class FaultError(FalconError):
    """A hardware fault was detected. No key and no signature was made.

    Try again. If it happens again, do not use this machine for keys.
    """
