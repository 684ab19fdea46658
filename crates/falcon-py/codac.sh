#!/usr/bin/env bash
# Builds the package, installs it beside the package codac, which leaves the processor rounding up,
# and compares keys and signatures with the known answers.
#
# Needs x86-64, Python 3.11 or newer with venv (Debian: python3-venv), and packages of PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 PYTHONDONTWRITEBYTECODE=1
# Fixes the version of maturin with which pip builds the clone.
export PIP_CONSTRAINT="$PWD/tests/requirements.txt"

python3 -m venv "$work/beside"
"$work/beside/bin/pip" install . codac==2.1.2
"$work/beside/bin/python" tests/beside_codac.py
