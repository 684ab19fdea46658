#!/usr/bin/env bash
# Prints the share of each decoder's code that the inputs reach: coverage.sh [--missed FILE].
# Inputs are those of fuzz/seeds and fuzz/corpus. `--missed FILE` shows the lines that no input
# reaches. Needs the component llvm-tools of the nightly toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
. fuzz/common.sh

tools=$(rustc "+$nightly" --print sysroot)/lib/rustlib/$triple/bin
folder="$PWD/${CARGO_TARGET_DIR:-fuzz/target}/coverage"
mkdir -p "$folder"
# The programs execute the given inputs and end, so they need no sanitizer coverage.
RUSTFLAGS="-Cinstrument-coverage --cfg fuzzing" CARGO_TARGET_DIR="$folder" \
    cargo "+$nightly" build --quiet --release --manifest-path fuzz/Cargo.toml

objects=()
while read -r target; do
    mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target"
    LLVM_PROFILE_FILE="$folder/$target.profraw" "$folder/release/$target" \
        "fuzz/corpus/$target" "fuzz/seeds/$target" -runs=0 >/dev/null 2>&1
    objects+=(--object "$folder/release/$target")
done < <(all_targets)
"$tools/llvm-profdata" merge --sparse "$folder"/*.profraw -o "$folder/all.profdata"

decoders=(
    crates/falcon-core/src/codec
    crates/falcon-core/src/{any,det1024,fndsa_provisional,keys,recovery,serde,signatures,verify,pkcs8}.rs
    crates/falcon-core/src/pkcs8
    crates/falcon-core/src/ntru/short.rs
    crates/falcon-core/src/ring.rs
    crates/falcon-envelope/src
    crates/falcon-invisible/src
    crates/mceliece-core/src/{keys,ciphertexts,layout,stream,decode,decapsulate,encode}.rs
)
if [ "${1:-}" = --missed ]; then
    "$tools/llvm-cov" show "${objects[@]}" --instr-profile "$folder/all.profdata" \
        --show-instantiations=false --show-regions --sources "$(realpath "${2:?a file}")" \
        2>/dev/null | grep -E '^ +[0-9]+\| +0\||\^0'
    exit
fi
"$tools/llvm-cov" export "${objects[@]}" --instr-profile "$folder/all.profdata" 2>/dev/null |
    python3 fuzz/coverage.py "${decoders[@]}"
