#!/usr/bin/env bash
# Builds both programs for a Cortex-M4, with the fast and with the small permutation,
# and for RV32IMAC. Runs them under QEMU, prints flash and stack, and fails if one of
# these is not so:
#   - both give the known answer, without floating-point helpers;
#   - neither takes more stack or flash than the limits below;
#   - `verify` contains no floating-point instruction, no allocator and no random
#     generator either.
# Needs qemu-system-arm, qemu-user, binutils-arm-none-eabi and binutils.
set -euo pipefail
cd "$(dirname "$0")"

readonly CORTEX_M4=thumbv7em-none-eabihf RISCV=riscv32imac-unknown-none-elf
readonly SMALL='--cfg falcon_keccak="small"'
# Of the compiler's runtime and of libm.
readonly FLOAT_HELPERS='^__aeabi_(d|f|cd|cf|i2|l2|ui2|ul2)|^__(add|sub|mul|div|neg|cmp|eq|ne|lt|le|gt|ge|unord|trunc|extend)[sd]f|^__(fix|float)|^(sqrt|floor|ceil|trunc|rint|fma)f?$'
target_dir="${CARGO_TARGET_DIR:-target}"
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# value NAME TEXT: the number that a program reported.
value() { sed -n "s/^$1=\([0-9]*\)$/\1/p" <<<"$2"; }

# flash FILE: bytes that lie in flash: vectors, code, constants, initial data. Unwind
# tables are not counted: nothing reads them, and the linker scripts of products drop
# them (.eh_frame, 1 to 3 KB on RV32IMAC).
flash() {
    size -A "$1" |
        awk '$1 ~ /^\.(vector_table|text|rodata|data)$/ { sum += $2 } END { print sum }'
}

# at_most LIMIT WHAT BYTES: fails if there are more, or none were measured.
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

# check TARGET FLAGS VERIFY_STACK VERIFY_FLASH DECODE_STACK SIGN_STACK SIGN_FLASH: limits
# in bytes, as the pinned compiler makes them, rounded up to the next 64.
check() {
    local target="$1" flags="$2" bin_dir output found
    # Flags of its own, beside those of the configuration.
    local cargo=(cargo --config "target.$target.rustflags=[$(flags_as_toml "$flags")]")
    local options=(--locked --release --target "$target")
    export CARGO_TARGET_DIR="$target_dir/${flags:+small}"
    bin_dir="$CARGO_TARGET_DIR/$target/release"
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
        # RV32IMAC has none.
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

# flags_as_toml FLAGS: the words of FLAGS as strings of TOML.
flags_as_toml() {
    local word
    for word in $1; do printf "'%s'," "$word"; done
}

check "$CORTEX_M4" "$SMALL" 4608 12352 9856 7744 67840
check "$CORTEX_M4" "" 5312 14208 9856 7744 69568
check "$RISCV" "" 5184 14016 9856 7488 79616

if [ "$failures" -ne 0 ]; then
    echo "firmware: $failures checks failed" >&2
    exit 1
fi
echo "firmware: all checks passed"
