"""Read by mypy --strict, never run. mypy also reports `ignore` comments that suppress nothing."""

from typing import Literal, assert_type

from falconsign import Signature, Signer, SigningKey, Verifier, VerifyingKey, arrow, det1024
from falconsign import sign_batch, verify_batch

key = SigningKey.generate()
assert_type(key, SigningKey)
assert_type(key.verifying_key, VerifyingKey)
assert_type(key.parameters, Literal["Falcon-512", "Falcon-1024"])
assert_type(key.certificates_only, bool)
assert_type(key.sign(bytearray(3), format="ct"), bytes)
assert_type(key.sign_batch([b"one", memoryview(b"two")]), list[bytes])
assert_type(key.signer(), Signer)
assert_type(key.to_pem(b"secret"), str)
assert_type(key.to_pem("secret"), str)
assert_type(SigningKey.from_pem(key.to_pem(), password=None), SigningKey)
public = key.verifying_key
assert_type(public.verifier(b""), Verifier)
assert_type(public.verify_batch([(b"", b"")]), list[bool])
assert_type(sign_batch([(key, b"")], threads=2), list[bytes])
assert_type(verify_batch([(public, Signature.from_bytes(b""), b"")]), list[bool])
assert_type(det1024.SigningKey.generate().verifying_key, det1024.VerifyingKey)


def table(column: arrow.Array) -> None:
    """Results are columns, too."""
    assert_type(arrow.sign(column, key), arrow.Array)
    assert_type(arrow.verify(column, column, public), arrow.Array)
    assert_type(arrow.verify(column, column, column, keys={"Ann": public}), arrow.Array)
    assert_type(arrow.verify(column, column, public).counts(), dict[str, int])
    assert_type(arrow.verify(column, column, public).names(), arrow.Array)
    arrow.verify([b"one"], column, public)  # type: ignore[arg-type]
    arrow.verify(column, column, key)  # type: ignore[arg-type]


key.sign("text")  # type: ignore[arg-type]
key.sign(b"", format="der")  # type: ignore[arg-type]
key.sign(b"", "ct")  # type: ignore[call-arg]
key.to_pem(5)  # type: ignore[arg-type]
SigningKey.generate("Falcon-256")  # type: ignore[arg-type]
key.parameters = "Falcon-512"  # type: ignore[misc]
det1024.SigningKey.generate().sign(b"", format="padded")  # type: ignore[arg-type]


class Mine(SigningKey):  # type: ignore[misc]
    """SigningKey cannot be extended."""
