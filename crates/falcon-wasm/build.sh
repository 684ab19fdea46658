#!/usr/bin/env bash
# Builds the npm package in pkg/.
#
# Needs rustup's target wasm32-unknown-unknown. The folder for builds is that of CARGO_TARGET_DIR,
# or target beside this script. Programs that make the bindings are built there, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR

# stage WHAT: prints the seconds since the start, and what begins now.
stage() { echo "falcon-wasm: $SECONDS s: $1"; }
echo "falcon-wasm: builds the npm package in $PWD/pkg, in 4 stages."
echo "falcon-wasm: The first build takes about five minutes on two cores, later ones some seconds."
echo "falcon-wasm: Stages 1 to 3 print nothing while they compile."

# The bindings must be made by the version that made the module.
locked() { grep -A1 "^name = \"$2\"$" "$1/Cargo.lock" | sed -n 's/^version = "\(.*\)"$/\1/p'; }
if [ "$(locked . wasm-bindgen)" != "$(locked bindgen wasm-bindgen-cli-support)" ]; then
    echo "Cargo.lock and bindgen/Cargo.lock have different versions of wasm-bindgen" >&2
    exit 1
fi

stage "1 of 4, the program that makes the bindings for JavaScript"
(cd bindgen && cargo build --locked --quiet --release)

# Panic messages contain names of source files. Without these flags, the names would include the
# builder's folders and the name of the registry.
cargo fetch --locked --quiet
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
no_folders=("--remap-path-prefix=$cargo_home=cargo" "--remap-path-prefix=$(realpath ../..)=falcon")
for registry in "$cargo_home"/registry/src/*/; do
    no_folders+=("--remap-path-prefix=${registry%/}=crate")
done

# build NAME FLAG...: makes NAME.wasm and native.js in pkg/NAME
build() {
    local target="$CARGO_TARGET_DIR/falcon-$1" flags=("${no_folders[@]}" "${@:2}")
    # Unlike RUSTFLAGS, this variable takes folders with spaces.
    CARGO_ENCODED_RUSTFLAGS="$(IFS=$'\x1f'; echo "${flags[*]}")" \
        cargo build --locked --quiet --release --package falcon-wasm-module \
        --target wasm32-unknown-unknown --target-dir "$target"
    "$CARGO_TARGET_DIR/release/falcon-wasm-bindgen" \
        "$target/wasm32-unknown-unknown/release/falcon_wasm_module.wasm" "pkg/$1"
    mv "pkg/$1/native_bg.wasm" "pkg/$1.wasm"
}

# In the module with vectors, the compiler inlines and unrolls less, so that a page loads less than
# 200,000 bytes compressed. Cargo.toml has the figures.
readonly SMALLER=(-C llvm-args=-inline-threshold=5 -C llvm-args=-unroll-threshold=20
    -C llvm-args=-unroll-runtime=false)

rm -rf pkg
mkdir pkg
stage "2 of 4, the WebAssembly module without vectors"
build native
stage "3 of 4, the WebAssembly module with vectors"
build native_simd -C target-feature=+simd128 "${SMALLER[@]}"
# Both modules have the same bindings.
cmp pkg/native/native.js pkg/native_simd/native.js
# Users read the documentation in falcon.d.ts, not these comments about the bindings.
sed -E '/^ *(\/\*\*|\*)/d' pkg/native/native.js >pkg/native.js
rm -r pkg/native pkg/native_simd
stage "4 of 4, the files of the package"
{
    echo "// Both modules in base64. build.sh wrote this file."
    echo "export const native = '$(base64 -w 0 pkg/native.wasm)';"
    echo "export const nativeSimd = '$(base64 -w 0 pkg/native_simd.wasm)';"
} >pkg/modules.js
cp js/* package.json README.md pkg/
stage "done: $PWD/pkg"
