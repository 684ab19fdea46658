"""Threads and forks."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from conftest import KEYS
from falconsign import AlreadyFinalized, FalconError, InvalidSignature, SigningKey, arrow, det1024


def ticks_beside(work: Callable[[], object]) -> tuple[int, float]:
    """How often this thread ran Python code while another one did `work`, and how long it took."""
    done = threading.Event()
    took = []

    def run() -> None:
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
        done.set()

    # The interpreter hands the GIL over by itself only after this time.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=run)
        ticks = 0
        thread.start()
        while not done.is_set():
            time.sleep(0.001)
            ticks += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    return ticks, took[0]


LONG = bytes(40_000_000)
KEY = KEYS["Falcon-512"]
SIGNATURE = KEY.sign(LONG)
SHORT = KEY.sign(b"x")
MANY = [b"%d" % number for number in range(3000)]
PAIRS = list(zip(KEY.sign_batch(MANY), MANY, strict=True)) * 20
TABLE = [pa.array([pair[place] for pair in PAIRS]) for place in (1, 0)]
ENCRYPTED = KEY.to_pem(b"secret")
DETERMINISTIC = det1024.SigningKey.from_seed(b"seed")


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: KEY.sign(LONG), id="sign"),
        pytest.param(lambda: KEY.verifying_key.verify(SIGNATURE, LONG), id="verify"),
        pytest.param(lambda: KEY.sign_batch(MANY, threads=1, engine="scalar"), id="sign_batch"),
        pytest.param(lambda: KEY.verifying_key.verify_batch(PAIRS, threads=1), id="verify_batch"),
        pytest.param(lambda: KEY.signer().update(LONG), id="signer"),
        pytest.param(lambda: KEY.verifying_key.verifier(SIGNATURE).update(LONG), id="verifier"),
        pytest.param(lambda: SigningKey.from_pem(ENCRYPTED, b"secret"), id="from_pem"),
        pytest.param(lambda: KEY.to_pem(b"secret"), id="to_pem"),
        pytest.param(lambda: DETERMINISTIC.sign(LONG), id="deterministic"),
        pytest.param(lambda: arrow.verify(*TABLE, KEY.verifying_key, threads=1), id="arrow_verify"),
        pytest.param(lambda: arrow.sign(TABLE[0][:3000], KEY, threads=1), id="arrow_sign"),
    ],
)
def test_the_gil_is_released(work):
    ticks, seconds = ticks_beside(work)
    # A call that held the GIL would let this thread run once before it and once after it.
    assert seconds > 0.015, "the work is too short to tell"
    assert ticks >= 5


def test_the_gil_is_released_while_keys_are_generated():
    # This key of Falcon-512 takes 0.6 milliseconds or more.
    for parameters in ("Falcon-512", "Falcon-1024"):
        ticks, seconds = ticks_beside(
            lambda: [SigningKey.from_seed(bytes(32), parameters) for _ in range(100)]
        )
        assert seconds > 0.015, "the work is too short to tell"
        assert ticks >= 5


def test_threads_share_a_key(key):
    public = key.verifying_key

    def work(number: int) -> bytes:
        message = b"%d" % number
        signature = key.sign(message)
        public.verify(signature, message)
        with pytest.raises(InvalidSignature):
            public.verify(signature, message + b"!")
        assert public.verify_batch(zip(key.sign_batch([message] * 20), [message] * 20)) == [True] * 20
        return signature

    with ThreadPoolExecutor(8) as pool:
        signatures = list(pool.map(work, range(100)))
    assert len(set(signatures)) == 100


def test_threads_share_a_signer(key):
    signer = key.signer()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(signer.update, [b"x" * 1000] * 100))
        results = list(pool.map(lambda _: attempt(signer.finalize), range(8)))
    signatures = [result for result in results if isinstance(result, bytes)]
    assert len(signatures) == 1
    assert sum(isinstance(result, AlreadyFinalized) for result in results) == 7
    key.verifying_key.verify(signatures[0], b"x" * 100_000)


def attempt(call: Callable[[], bytes]) -> bytes | Exception:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - the caller looks at it
        return error


def test_a_buffer_that_changes_while_it_is_signed_is_read_once():
    message = bytearray(2_000_000)
    started = threading.Event()
    made = []

    def sign() -> None:
        started.set()
        made.append(KEY.sign(message))

    thread = threading.Thread(target=sign)
    thread.start()
    started.wait()
    value = 0
    while thread.is_alive():
        value = (value + 1) % 256
        message[0] = value
        message[-1] = value
    thread.join()
    # Contents that the buffer has had: both ends are equal, or the first one is a step ahead. If
    # the buffer were hashed while it changes, its ends would be far apart.
    middle = bytes(len(message) - 2)
    ends = [(first, (first - ahead) % 256) for first in range(256) for ahead in (0, 1)]
    assert any(
        KEY.verifying_key.verify_batch(
            [(made[0], bytes([first]) + middle + bytes([last]))], threads=1
        )[0]
        for first, last in ends
    )


def in_child(work: Callable[[], bytes]) -> bytes:
    """What `work` returns in a forked child, within thirty seconds."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            with open(write, "wb") as out:
                out.write(work())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    deadline = time.monotonic() + 30
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    with open(read, "rb") as result:
        data = result.read()
    assert status == 0
    return data


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
# The batches of other tests have started threads, which the interpreter warns of.
quiet = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@fork
@quiet
def test_keys_work_in_a_child_with_other_randomness(key):
    made = [in_child(lambda: key.sign(b"order #42")) for _ in range(2)] + [key.sign(b"order #42")]
    for signature in made:
        key.verifying_key.verify(signature, b"order #42")
    assert len({signature[1:41] for signature in made}) == 3
    fingerprints = {in_child(lambda: SigningKey.generate().fingerprint.encode()) for _ in range(2)}
    assert len(fingerprints) == 2


@fork
@quiet
def test_batches_start_threads_of_their_own_in_a_child(key):
    messages = [b"%d" % number for number in range(600)]
    before = key.sign_batch(messages, threads=2)

    def work() -> bytes:
        signatures = key.sign_batch(messages, threads=2)
        pairs = list(zip(signatures, messages, strict=True))
        assert key.verifying_key.verify_batch(pairs, threads=2) == [True] * 600
        return signatures[0]

    made = {in_child(work), in_child(work), before[0]}
    assert len(made) == 3
    after = key.sign_batch(messages, threads=2)
    assert key.verifying_key.verify_batch(zip(after, messages, strict=True)) == [True] * 600


@fork
@quiet
def test_a_signer_refuses_to_work_in_a_child(key):
    signer = key.signer()
    signer.update(b"order #42")

    def work() -> bytes:
        for call in (signer.finalize, lambda: signer.update(b"x")):
            with pytest.raises(FalconError, match="before a fork"):
                call()
        return b"refused"

    assert in_child(work) == b"refused"
    signature = signer.finalize()
    key.verifying_key.verify(signature, b"order #42")
    verifier = key.verifying_key.verifier(signature)
    verifier.update(b"order")

    def check() -> bytes:
        for call in (verifier.verify, lambda: verifier.update(b"x")):
            with pytest.raises(FalconError, match="this Verifier was made before a fork"):
                call()
        return b"refused"

    assert in_child(check) == b"refused"
    verifier.update(b" #42")
    verifier.verify()


def test_a_million_threads_are_not_started():
    started = time.monotonic()
    assert KEY.verifying_key.verify_batch([(SHORT, b"x")] * 1000, threads=2**62) == [True] * 1000
    assert time.monotonic() - started < 60
    # Replaces the pool of threads, so that later tests do not use the large one.
    KEY.sign_batch([b"x"] * 100, threads=2)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
@pytest.mark.parametrize("work", ["sign_batch", "verify_batch", "arrow.sign", "arrow.verify"])
def test_a_long_batch_is_interrupted(work):
    # More than a second of work. The timer interrupts it after a fifth of a second.
    count = 80_000 if "sign" in work else 1_500_000
    message = pa.array([b"x"] * count)
    signature = pa.array([SHORT] * count)
    public = KEY.verifying_key
    calls = {
        "sign_batch": lambda: KEY.sign_batch([b"x"] * count, threads=1),
        "verify_batch": lambda: public.verify_batch([(SHORT, b"x")] * count, threads=1),
        "arrow.sign": lambda: arrow.sign(message, KEY, threads=1),
        "arrow.verify": lambda: arrow.verify(message, signature, public, threads=1),
    }

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        started = time.thread_time()
        with pytest.raises(KeyboardInterrupt):
            calls[work]()
        used = time.thread_time() - started
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    started = time.thread_time()
    calls[work]()
    assert used < 0.9 * (time.thread_time() - started)
