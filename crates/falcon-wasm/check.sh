#!/usr/bin/env bash
# Builds the npm package, checks its size and its types, and runs the tests in Node and in headless
# Chromium.
#
# Needs Node 20 or newer with npm, rustup's target wasm32-unknown-unknown, Chromium (Debian:
# chromium), and packages of the registry of npm. The folder for builds is that of CARGO_TARGET_DIR,
# or target beside this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR
# Largest number of bytes that a page may load, with each file compressed by gzip.
readonly MOST_BYTES=200000
# The same for the inline form, which holds both modules.
readonly MOST_INLINE_BYTES=480000
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if grep -rnw unsafe src bindgen/src; then
    echo "unsafe code" >&2
    exit 1
fi

echo "== the package"
../../examples/web/build.sh
(cd tests && npm ci --ignore-scripts --no-audit --no-fund --silent)

# compressed FILE...: bytes of the files, each compressed
compressed() {
    local file total=0
    for file in "$@"; do total=$((total + $(gzip -9c "$file" | wc -c))); done
    echo "$total"
}
# at_most BYTES WHAT [MOST]
at_most() {
    echo "$2: $1 bytes compressed, at most ${3:-$MOST_BYTES}"
    [ "$1" -le "${3:-$MOST_BYTES}" ]
}
site=../../examples/web/site
for module in native native_simd; do
    at_most "$(compressed pkg/{web,start,simd,falcon,native}.js "pkg/$module.wasm")" \
        "the package with $module"
    at_most "$(compressed "$site"/{index.html,app.js,"$module.wasm"})" "the page with $module"
done
at_most "$(compressed "$site/falcon.html")" "the page in one file"
at_most "$(compressed pkg/{inline,modules,start,simd,falcon,native}.js)" "the inline form" \
    "$MOST_INLINE_BYTES"

echo "== installed"
(cd pkg && npm pack --silent --pack-destination "$work" >/dev/null)
mkdir "$work/user"
cp tests/typed.ts tests/readme.mjs README.md "$work/user"
echo '{ "private": true, "type": "module" }' >"$work/user/package.json"
(cd "$work/user" &&
    npm install --offline --ignore-scripts --no-audit --no-fund --silent "$work"/*.tgz)
# Runs the examples of the README, and checks the types of the declarations.
(cd "$work/user" && node readme.mjs README.md)
tests/node_modules/.bin/tsc --strict --noEmit --target esnext --module nodenext --types '' \
    --lib esnext,dom "$work/user/typed.ts"

echo "== Node"
cargo run --locked --quiet --release --example expected >"$work/expected"
export FALCON_EXPECTED="$work/expected"
(cd tests && node --test --test-reporter spec ./*.test.mjs)
echo "== Node without vector instructions"
(cd tests && node --import ./no-simd.mjs --test --test-reporter spec ./*.test.mjs)

echo "== Chromium"
(cd tests/browser && node --test --test-reporter spec ./*.test.mjs)
