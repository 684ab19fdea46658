#!/usr/bin/env bash
# Builds the wheel, installs it in a fresh virtual environment, and runs the tests and the type
# checker there. Then installs the clone with pip in another one and signs there.
#
# Needs Python 3.11 or newer with venv (Debian: python3-venv), and packages of PyPI. The folder for
# builds is that of CARGO_TARGET_DIR, or target beside this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HYPOTHESIS_STORAGE_DIRECTORY="$work/hypothesis" PYTHONDONTWRITEBYTECODE=1
export CARGO_TARGET_DIR PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1
# Fixes the version of maturin with which pip builds the clone.
export PIP_CONSTRAINT="$PWD/tests/requirements.txt"

# One folder may have `unsafe` code. Clippy demands a reason for each block.
if grep -rnw unsafe src | grep -Ev '^src/(arrow/ffi[./]|lib.rs:[0-9]+://!)'; then
    echo "unsafe code outside of src/arrow/ffi" >&2
    exit 1
fi

echo "== the wheel"
# Both builds use this environment, so that the second one reuses the results of the first one.
python3 -m venv "$work/clone"
"$work/clone/bin/pip" wheel --no-deps --wheel-dir "$work/dist" .
wheels=("$work"/dist/*.whl)
case "${wheels[*]}" in
    *.whl\ *.whl | *[*]*) echo "not one wheel: ${wheels[*]}" >&2 && exit 1 ;;
    */falconsign-*-cp311-abi3-*.whl) ;;
    *) echo "not an abi3 wheel: ${wheels[*]}" >&2 && exit 1 ;;
esac
python3 -m venv "$work/wheel"
"$work/wheel/bin/pip" install --no-deps -r tests/requirements.txt
"$work/wheel/bin/pip" install --no-deps "${wheels[0]}"
"$work/wheel/bin/python" -m pytest -p no:cacheprovider --rootdir "$PWD" -c pyproject.toml tests
"$work/wheel/bin/python" -m mypy --strict --no-incremental --cache-dir /dev/null \
    --python-executable "$work/wheel/bin/python" tests/typed.py
"$work/wheel/bin/python" -m mypy.stubtest falconsign

echo "== the clone"
"$work/clone/bin/pip" install .
"$work/clone/bin/python" - <<'END'
from falconsign import InvalidSignature, SigningKey

key = SigningKey.generate()
signature = key.sign(b"order #42")
key.verifying_key.verify(signature, b"order #42")
try:
    key.verifying_key.verify(signature, b"order #43")
except InvalidSignature:
    print("the installed clone signs and verifies")
else:
    raise SystemExit("a forged message was accepted")
END
