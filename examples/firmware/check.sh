#!/usr/bin/env bash
# Builds the programs of Falcon for a Cortex-M4, with the fast and with the small permutation, and
# for RV32IMAC, and those of Classic McEliece for a Cortex-M4. Runs them under QEMU, prints flash
# and memory, and fails if one of these conditions is not met:
#   - all give the known answer, without floating-point helpers;
#   - none takes more memory or flash than the limits below;
#   - `verify` contains no floating-point instruction, no allocator and no random
#     generator either, and the programs of Classic McEliece contain no allocator.
# Needs qemu-system-arm, qemu-user, binutils-arm-none-eabi and binutils.
set -euo pipefail
cd "$(dirname "$0")"

readonly CORTEX_M4=thumbv7em-none-eabihf RISCV=riscv32imac-unknown-none-elf
readonly SMALL='--cfg falcon_keccak="small"'
# Symbols of the compiler's runtime and of libm.
readonly FLOAT_HELPERS='^__aeabi_(d|f|cd|cf|i2|l2|ui2|ul2)|^__(add|sub|mul|div|neg|cmp|eq|ne|lt|le|gt|ge|unord|trunc|extend)[sd]f|^__(fix|float)|^(sqrt|floor|ceil|trunc|rint|fma)f?$'
target_dir="${CARGO_TARGET_DIR:-target}"
export CARGO_TARGET_DIR="$target_dir"
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# value NAME TEXT: the number that a program reported.
value() { sed -n "s/^$1=\([0-9]*\)$/\1/p" <<<"$2"; }

# flash FILE: number of bytes in flash: vectors, code, constants, initial data. Unwind tables
# (.eh_frame, 1 to 3 KB on RV32IMAC) are not counted: nothing reads them, and the linker scripts of
# products drop them.
flash() {
    size -A "$1" |
        awk '$1 ~ /^\.(vector_table|text|rodata|data)$/ { sum += $2 } END { print sum }'
}

# at_most LIMIT WHAT BYTES: fails if BYTES exceeds LIMIT or is missing.
at_most() {
    [ "${3:-999999}" -le "$1" ] || fail "$2: ${3:-unknown} bytes, more than $1"
}

# forbid FILE WHAT PATTERN: no symbol of FILE may match.
forbid() {
    local found
    found=$(nm "$1" | awk '{ print $NF }' | grep -E "$3" || true)
    if [ -n "$found" ]; then
        fail "$2 linked: $(tr '\n' ' ' <<<"$found")"
    else
        echo "no $2"
    fi
}

# check TARGET FLAGS VERIFY_STACK VERIFY_FLASH DECODE_STACK SIGN_STACK SIGN_FLASH: the limits are in
# bytes, as measured with the pinned compiler, rounded up to the next multiple of 64.
check() {
    local target="$1" flags="$2" bin_dir output found
    # Replaces the flags of the configuration by FLAGS.
    local cargo=(cargo --config "target.$target.rustflags=[$(flags_as_toml "$flags")]")
    local options=(--locked --release --target "$target")
    bin_dir="$target_dir/$target/release"
    echo "== $target $flags"
    "${cargo[@]}" build "${options[@]}" --quiet

    output=$(timeout 120 "${cargo[@]}" run "${options[@]}" --quiet --bin verify) ||
        fail "verify: $output"
    echo "$output"
    echo "verify_flash_bytes=$(flash "$bin_dir/verify") (with 1.7 KB of vectors)"
    at_most "$3" "stack of verification" "$(value verify_stack_bytes "$output")"
    at_most "$4" "flash of verification" "$(flash "$bin_dir/verify")"
    forbid "$bin_dir/verify" "floating-point helper" "$FLOAT_HELPERS"
    forbid "$bin_dir/verify" "allocator" '__rust_alloc|__rg_alloc|__rdl_alloc|^malloc$|5alloc'
    forbid "$bin_dir/verify" "random generator" \
        '[Rr]and_?core|getrandom|[Cc]rypto_?[Rr]ng|chacha'
    if [ "$target" = "$CORTEX_M4" ]; then
        # RV32IMAC has no floating-point instructions.
        found=$(arm-none-eabi-objdump -d "$bin_dir/verify" |
            awk -F'\t' '$3 ~ /^v[a-z]+/ { print $3 }' | sort | uniq -c)
        if [ -n "$found" ]; then
            fail "floating-point instructions: $found"
        else
            echo "no floating-point instruction"
        fi
    fi

    output=$(timeout 300 "${cargo[@]}" run "${options[@]}" --quiet --bin sign) ||
        fail "sign: $output"
    echo "$output"
    echo "sign_flash_bytes=$(flash "$bin_dir/sign")"
    at_most "$5" "stack of decoding a key" "$(value decode_key_stack_bytes "$output")"
    at_most "$6" "stack of signing" "$(value sign_stack_bytes "$output")"
    at_most "$7" "flash of signing" "$(flash "$bin_dir/sign")"
    forbid "$bin_dir/sign" "floating-point helper" "$FLOAT_HELPERS"
}

# statics FILE: number of bytes of memory for the program's statics.
statics() {
    size -A "$1" | awk '$1 ~ /^\.(data|bss|uninit)$/ { sum += $2 } END { print sum + 0 }'
}

# mceliece PROGRAM FLASH NAME LIMIT...: runs a program of Classic McEliece on the Cortex-M4. Its
# code and constants, without keys and ciphertexts, take at most FLASH bytes. NAME is a number that
# the program reports: bytes of stack. Together with the statics it is at most LIMIT.
mceliece() {
    local program="$1" limit="$2" output file static bytes embedded
    local options=(--locked --release --target "$CORTEX_M4" --features mceliece --quiet)
    shift 2
    echo "== $program of Classic McEliece"
    output=$(timeout 600 cargo run "${options[@]}" --bin "$program") || fail "$program: $output"
    echo "$output"
    file="$target_dir/$CORTEX_M4/release/$program"
    static="$(statics "$file")"
    embedded="$(value embedded_bytes "$output")"
    echo "${program}_static_bytes=$static"
    bytes=$(($(flash "$file") - ${embedded:-0}))
    echo "${program}_flash_bytes=$bytes (without ${embedded:-unknown} bytes of keys and the like)"
    at_most "$limit" "flash of $program" "$bytes"
    while [ "$#" -gt 0 ]; do
        bytes="$(value "$1" "$output")"
        at_most "$2" "memory of $program, $1" "${bytes:+$((bytes + static))}"
        shift 2
    done
    forbid "$file" "floating-point helper" "$FLOAT_HELPERS"
    forbid "$file" "allocator" '__rust_alloc|__rg_alloc|__rdl_alloc|^malloc$|5alloc'
}

# flags_as_toml FLAGS: the words of FLAGS as strings of TOML.
flags_as_toml() {
    local word
    for word in $1; do printf "'%s'," "$word"; done
}

check "$CORTEX_M4" "$SMALL" 4608 12352 9856 7744 67840
check "$CORTEX_M4" "" 5312 14272 9856 7744 69568
check "$RISCV" "" 5184 14016 9856 7488 79616
mceliece encapsulate 10304 \
    mceliece348864_encapsulate_stack_bytes 4096 \
    mceliece8192128_encapsulate_stack_bytes 4096
mceliece keygen 103616 mceliece348864f_keygen_stack_bytes 131072
mceliece decapsulate 163840 \
    mceliece348864_decode_key_stack_bytes 65536 \
    mceliece348864_decapsulate_stack_bytes 65536 \
    mceliece460896_decapsulate_stack_bytes 65536 \
    mceliece6688128_decapsulate_stack_bytes 65536

if [ "$failures" -ne 0 ]; then
    echo "firmware: $failures checks failed" >&2
    exit 1
fi
echo "firmware: all checks passed"
