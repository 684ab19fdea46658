#!/usr/bin/env bash
# Builds the npm package, and builds and runs a program that uses it with every bundler of the table
# in the README, in Node, Bun, Deno and headless Chromium.
#
# Needs Node 20.19 or newer with npm, rustup's target wasm32-unknown-unknown, Chromium (Debian:
# chromium), and packages of the registry of npm, 300 MB. The folder for builds is that of
# CARGO_TARGET_DIR, or target beside this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# It says what it does.
log="$(mktemp)"
./build.sh | tee "$log"
[ "$(grep -c ': [1-4] of 4, ' "$log")" -eq 4 ]
rm "$log"
cd tests/bundlers
# Without scripts, the programs of Bun and Deno come as they are, in packages of their own.
npm ci --ignore-scripts --no-audit --no-fund --silent

# The files that would be published, where npm would install them.
packed="$(cd ../../pkg && npm pack --silent --pack-destination "$OLDPWD")"
mkdir node_modules/falconsign
tar --extract --file "$packed" --strip-components 1 --directory node_modules/falconsign
rm "$packed"
node --test --test-reporter spec ./*.test.mjs
rm -r work
