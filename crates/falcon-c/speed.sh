#!/usr/bin/env bash
# Times the C library beside `falcon-core`: speed.sh [ROUNDS]. Builds both as releases.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

prefix=$(mktemp -d)
trap 'rm -r "$prefix"' EXIT
./install.sh "$prefix"
cargo run --locked --release --example speed -- "$prefix/lib/libfalconsign.so" "$@"
