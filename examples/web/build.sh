#!/usr/bin/env bash
# Builds the package falconsign and the page, in site/: for a static server, and as the one file
# site/falcon.html, which a browser opens from a disk.
#
# Needs the tools of crates/falcon-wasm/build.sh, and Node 20 or newer with npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly PACKAGE=../../crates/falcon-wasm
"$PACKAGE/build.sh"
npm ci --ignore-scripts --no-audit --no-fund --silent

rm -rf site
mkdir site
node build.mjs "$PACKAGE/pkg" site
