#!/usr/bin/env bash
# Builds the npm package in pkg/.
#
# Needs rustup's target wasm32-unknown-unknown. The folder for builds is that of CARGO_TARGET_DIR,
# or target beside this script. Programs that make the bindings are built there, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR

# The bindings must be made by the version that made the module.
locked() { grep -A1 "^name = \"$2\"$" "$1/Cargo.lock" | sed -n 's/^version = "\(.*\)"$/\1/p'; }
if [ "$(locked . wasm-bindgen)" != "$(locked bindgen wasm-bindgen-cli-support)" ]; then
    echo "Cargo.lock and bindgen/Cargo.lock have different versions of wasm-bindgen" >&2
    exit 1
fi

cargo build --locked --quiet --release --target wasm32-unknown-unknown
(cd bindgen && cargo build --locked --quiet --release)

rm -rf pkg
mkdir pkg
"$CARGO_TARGET_DIR/release/falcon-wasm-bindgen" \
    "$CARGO_TARGET_DIR/wasm32-unknown-unknown/release/falcon_wasm.wasm" pkg
cp js/* package.json README.md pkg/
