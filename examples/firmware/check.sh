#!/usr/bin/env bash
# Builds both programs, runs them on an emulated Cortex-M4, prints flash and
# stack, and fails if one of these is not so:
#   - both give the known answer, without floating-point helpers;
#   - neither takes more stack or flash than the limits below;
#   - it contains no floating-point instruction, no allocator and no random
#     generator either.
# Needs qemu-system-arm and binutils-arm-none-eabi.
set -euo pipefail
cd "$(dirname "$0")"

# Bytes, as the pinned compiler makes them, rounded up to the next 64.
readonly VERIFY_STACK_LIMIT=6016 DECODE_KEY_STACK_LIMIT=10880 SIGN_STACK_LIMIT=7936
readonly VERIFY_FLASH_LIMIT=12736 SIGN_FLASH_LIMIT=68992
readonly TARGET=thumbv7em-none-eabihf
# Of the compiler's runtime and of libm.
readonly FLOAT_HELPERS='^__aeabi_(d|f|cd|cf|i2|l2|ui2|ul2)|^__(add|sub|mul|div|neg|cmp|eq|ne|lt|le|gt|ge|unord|trunc|extend)[sd]f|^__(fix|float)|^(sqrt|floor|ceil|trunc|rint|fma)f?$'
bin_dir="${CARGO_TARGET_DIR:-target}/$TARGET/release"
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# value NAME TEXT: the number that a program reported.
value() { sed -n "s/^$1=\([0-9]*\)$/\1/p" <<<"$2"; }

# flash FILE: bytes that lie in flash: vectors, code, constants, initial data.
flash() {
    arm-none-eabi-size -A "$1" |
        awk '$1 ~ /^\.(vector_table|text|rodata|data)$/ { sum += $2 } END { print sum }'
}

# at_most LIMIT WHAT BYTES: fails if there are more, or none were measured.
at_most() {
    [ "${3:-999999}" -le "$1" ] || fail "$2: ${3:-unknown} bytes, more than $1"
}

# forbid FILE WHAT PATTERN: no symbol of FILE may match.
forbid() {
    local found
    found=$(arm-none-eabi-nm "$1" | awk '{ print $NF }' | grep -E "$3" || true)
    if [ -n "$found" ]; then
        fail "$2 linked: $(tr '\n' ' ' <<<"$found")"
    else
        echo "no $2"
    fi
}

cargo build --locked --release

echo "== verify only"
verify="$bin_dir/verify"
output=$(timeout 120 cargo run --locked --release --quiet --bin verify) || fail "verify: $output"
echo "$output"
echo "verify_flash_bytes=$(flash "$verify") (with 1.7 KB of vectors)"
at_most "$VERIFY_STACK_LIMIT" "stack of verification" "$(value verify_stack_bytes "$output")"
at_most "$VERIFY_FLASH_LIMIT" "flash of verification" "$(flash "$verify")"
forbid "$verify" "floating-point helper" "$FLOAT_HELPERS"
forbid "$verify" "allocator" '__rust_alloc|__rg_alloc|__rdl_alloc|^malloc$|5alloc'
forbid "$verify" "random generator" '[Rr]and_?core|getrandom|[Cc]rypto_?[Rr]ng|chacha'
float_instructions=$(arm-none-eabi-objdump -d "$verify" |
    awk -F'\t' '$3 ~ /^v[a-z]+/ { print $3 }' | sort | uniq -c)
if [ -n "$float_instructions" ]; then
    fail "floating-point instructions: $float_instructions"
else
    echo "no floating-point instruction"
fi

echo "== sign"
output=$(timeout 300 cargo run --locked --release --quiet --bin sign) || fail "sign: $output"
echo "$output"
echo "sign_flash_bytes=$(flash "$bin_dir/sign")"
at_most "$DECODE_KEY_STACK_LIMIT" "stack of decoding a key" \
    "$(value decode_key_stack_bytes "$output")"
at_most "$SIGN_STACK_LIMIT" "stack of signing" "$(value sign_stack_bytes "$output")"
at_most "$SIGN_FLASH_LIMIT" "flash of signing" "$(flash "$bin_dir/sign")"
forbid "$bin_dir/sign" "floating-point helper" "$FLOAT_HELPERS"

if [ "$failures" -ne 0 ]; then
    echo "firmware: $failures checks failed" >&2
    exit 1
fi
echo "firmware: all checks passed"
