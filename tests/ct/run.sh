#!/usr/bin/env bash
# Runs the constant-time check. Fails if a secret decides a branch or an address before its crate
# has revealed it, if a deliberate leak is not reported, or if two keys take different paths through
# PEM and hexadecimal.
#
# Valgrind runs all cases that it supports. It does not support AVX-512. If the processor does,
# falcon-taint runs the AVX-512 cases. Both run the deliberate leaks.
#
# `run.sh full` runs every case under falcon-taint, in three forms of the release build, and
# compares the rules of falcon-taint with the processor. Then it runs every planted leak under
# falcon-taint and under Valgrind, and fails if one is not reported. It takes half an hour, and
# fails on a processor without AVX-512.
#
# All this runs on x86-64. For RV32IMAC, falcon-riscv-taint interprets the program in
# tests/ct/firmware, built for size, and with `full` also for speed. `run.sh riscv` does only this.
#
# `run.sh aarch64` runs every case and every planted leak of the AArch64 code in an emulator
# (tests/ct/emulated). Leaks in code for x86-64 alone are left out. It needs cmake and libclang, and
# takes an hour.
#
# CT_ONLY=TEXT runs only the cases whose name contains TEXT, and leaves out RV32IMAC, PEM and
# hexadecimal. `CT_ONLY=mceliece tests/ct/run.sh` checks Classic McEliece alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
log=$(mktemp)
printed=$(mktemp)
trap 'rm -f "$log" "$printed"' EXIT
has_avx512=$(grep -cw avx512f /proc/cpuinfo || true)

# Builds falcon-ct from the tree in folder $1 with further options.
build() {
    (cd "$1" && RUSTFLAGS="${RUSTFLAGS:-} --cfg falcon_ct -D warnings" \
        cargo build --locked --profile ct -p falcon-ct "${@:2}")
}

# Runs the built program under Valgrind.
under_valgrind() {
    valgrind --tool=memcheck --error-limit=no --undef-value-errors=yes --track-origins=no \
        --read-inline-info=yes --num-callers=24 -v --log-file="$log" \
        "$CARGO_TARGET_DIR/ct/falcon-ct" ${CT_ONLY:+"$CT_ONLY"}
}

# Runs falcon-ct under falcon-taint, with the option $1 and the cases whose name contains $2. Each
# report is a line: `taint: branch in FILE ADDRESS`.
under_taint() {
    "$CARGO_TARGET_DIR/ct/falcon-ct" "$1" ${2:+"$2"} 2> "$log"
}

# Builds falcon-ct for AArch64 from the tree in folder $1, as a program that needs no loader.
build_aarch64() {
    RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static -C relocation-model=static" \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        build "$1" --target aarch64-unknown-linux-gnu "${@:2}"
}

# Runs it in the emulator, which reports in the same form as falcon-taint.
emulated() {
    cargo run --release --locked --manifest-path tests/ct/emulated/Cargo.toml -- "$@" \
        "$CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/ct/falcon-ct" ${CT_ONLY:+"$CT_ONLY"} 2> "$log"
}

# Lists the functions that contain the reported addresses.
explain() {
    grep '^taint: ' "$log" | while read -r line; do
        echo "$line"
        read -r file address < <(awk '{ print $(NF - 1), $NF }' <<< "$line")
        [ ! -f "$file" ] || addr2line -Cfipe "$file" "$address"
    done
}

# Hashes every instruction and every address of falcon-ct with the arguments "$@", from the first
# instruction of `write_and_read` on. Before that, the loader reads a few random bytes beyond a
# string. Valgrind loads the program at 0x108000.
trace() {
    local program=$CARGO_TARGET_DIR/ct/falcon-ct first
    first=$(nm "$program" | awk '$3 == "falcon_ct_texts" { print $1 }')
    first=$(printf 'I  %08x,' $((0x108000 + 16#$first)))
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$program" "$@" 9>&1 |
        awk -v first="$first" 'index($0, first) == 1 { found = 1 }
            found && !/^==/ { lines++; print }
            END { exit lines < 100000 }' | sha256sum
}

# Builds the program for RV32IMAC with each of the optimisation levels "$@" and runs it.
riscv() {
    local level program=$CARGO_TARGET_DIR/riscv32imac-unknown-none-elf/release/falcon-ct-firmware
    cargo build --release --locked -p falcon-riscv-taint
    for level in "$@"; do
        echo "== RV32IMAC, opt-level $level"
        (cd tests/ct/firmware && RUSTFLAGS="--cfg falcon_ct -D warnings" \
            CARGO_PROFILE_RELEASE_OPT_LEVEL="$level" cargo build --release --locked)
        "$CARGO_TARGET_DIR/release/falcon-riscv-taint" "$program" 2> "$log" > "$printed" ||
            { cat "$printed"; grep -v '^taint: ' "$log"; explain; exit 1; }
        grep -v = "$printed"
        # A test on the host compares the file with keys generated there.
        diff <(grep = "$printed") tests/ct/firmware/digests.txt
    done
}

if [ "${1:-}" = riscv ]; then
    riscv s 3
    exit
fi

if [ "${1:-}" = full ]; then
    ((has_avx512)) || { echo "FAILED: this processor has no AVX-512"; exit 1; }
    build .
    under_taint --audited "${CT_ONLY:-}" || { explain; exit 1; }
    # The profile that the README recommends, and cargo's default.
    for units in 1 16; do
        echo "== without lto, $units codegen units"
        CARGO_PROFILE_CT_LTO=false CARGO_PROFILE_CT_CODEGEN_UNITS=$units build .
        under_taint --translated "${CT_ONLY:-}" || { explain; exit 1; }
    done
    tests/ct/plant.py "$CARGO_TARGET_DIR/planted"
    build "$CARGO_TARGET_DIR/planted" --features planted
    under_taint --translated "${CT_ONLY:-}"
    under_valgrind
    [ -n "${CT_ONLY:-}" ] || riscv s 3
    exit
fi

if [ "${1:-}" = aarch64 ]; then
    cargo test --release --locked --manifest-path tests/ct/emulated/Cargo.toml
    build_aarch64 .
    emulated --twice || { explain; exit 1; }
    grep 'instructions' "$log"
    tests/ct/plant.py "$CARGO_TARGET_DIR/planted"
    build_aarch64 "$CARGO_TARGET_DIR/planted" --features planted
    emulated
    exit
fi

# Only `full` and `aarch64` build this copy. Here it only shows that each leak can still be planted.
tests/ct/plant.py "$CARGO_TARGET_DIR/planted"
build .
if ! under_valgrind; then
    grep -A 14 -E 'Conditional jump|Use of uninitialised' "$log" | tail -n "${CT_LINES:-400}"
    exit 1
fi

if [ -z "${CT_ONLY:-}" ]; then
    if ((has_avx512)); then
        under_taint --translated deliberate
        under_taint --translated avx512 || { explain; exit 1; }
    else
        echo "not checked: AVX-512, which this processor has not"
    fi

    echo "traces of two keys: PEM and hexadecimal"
    first=$(trace text 0)
    second=$(trace text 1)
    [[ $first == "$second" ]] || { echo "FAILED: the traces differ"; exit 1; }
    first=$(trace leak 0)
    second=$(trace leak 1)
    [[ $first != "$second" ]] || { echo "FAILED: a leak leaves the traces equal"; exit 1; }
    echo "ok: equal, and different with a deliberate leak"
    riscv s
fi
