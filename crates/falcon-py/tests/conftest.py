"""Keys that many tests share, and the known answers of the repository."""

import pathlib
from collections.abc import Iterator

import falconsign
import pytest
from falconsign import SigningKey
from hypothesis import HealthCheck, settings

# Times on a shared machine say nothing.
settings.register_profile(
    "falcon", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("falcon")

KAT = pathlib.Path(__file__).resolve().parents[3] / "kat"
SETS = ("Falcon-512", "Falcon-1024")
KEYS = {name: SigningKey.from_seed(bytes([7]) * 32, name) for name in SETS}
OTHERS = {name: SigningKey.from_seed(bytes([8]) * 32, name) for name in SETS}
DETERMINISTIC = falconsign.det1024.SigningKey.from_seed(b"a secret seed of 32 random bytes or more")


@pytest.fixture(params=SETS)
def key(request: pytest.FixtureRequest) -> SigningKey:
    return KEYS[request.param]


@pytest.fixture
def other(key: SigningKey) -> SigningKey:
    """Another key of the same parameter set."""
    return OTHERS[key.parameters]


def records(path: str) -> Iterator[dict[str, str]]:
    """The records of a NIST response file."""
    record: dict[str, str] = {}
    for line in (KAT / path).read_text().splitlines():
        name, equals, value = line.partition(" = ")
        if equals:
            record[name] = value
        elif record:
            yield record
            record = {}
    if record:
        yield record
