#!/usr/bin/env bash
# Builds falcon-cli and the wheel of falcon-py, installs Daft, Ray and PySpark in a fresh virtual
# environment, and runs the tests there: every framework, and workers that are killed.
#
# Needs Linux, Python 3.11 or newer with venv (Debian: python3-venv), Java 17 or newer for Spark,
# and 900 MB of packages of PyPI. The folder for builds is that of CARGO_TARGET_DIR, or target in
# crates/falcon-py. Options are those of pytest: `check.sh -k spark`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

package="$PWD/../../crates/falcon-py"
CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-$package/target}")"
# A short name: Ray makes sockets in this folder, and their names may have at most 107 bytes.
work="$(mktemp -d /tmp/tables.XXXXXX)"
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 PYTHONDONTWRITEBYTECODE=1
# Spark and Ray write only to this folder, and send no reports to their makers.
export SPARK_WORKER_DIR="$work/spark" SPARK_LOCAL_DIRS="$work/spark" SPARK_LOCAL_IP=127.0.0.1
export RAY_TMPDIR="$work/ray" RAY_AUTH_MODE=disabled RAY_USAGE_STATS_ENABLED=0 DO_NOT_TRACK=true
mkdir "$work/ray"

if ! java -version 2>/dev/null; then
    echo "Spark needs Java 17 or newer (Debian: default-jre-headless)" >&2
    exit 1
fi

python3 -m venv "$work/environment"
bin="$work/environment/bin"
# The version of maturin that falcon-py is tested with.
PIP_CONSTRAINT="$package/tests/requirements.txt" \
    "$bin/pip" wheel --no-deps --wheel-dir "$work/dist" "$package"
"$bin/pip" install --no-deps -r requirements.txt
"$bin/pip" install --no-deps "$work"/dist/*.whl
PIP_QUIET=0 "$bin/pip" check
cargo build --locked --release --manifest-path ../../Cargo.toml -p falcon-cli --features tables
export PATH="$CARGO_TARGET_DIR/release:$PATH"
"$bin/python" -m pytest -p no:cacheprovider --rootdir "$PWD" -q --basetemp "$work/tests" \
    --durations 8 tests "$@"
