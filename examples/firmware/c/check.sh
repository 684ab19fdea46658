#!/usr/bin/env bash
# Builds the library of C for a Cortex-M4 and for RV32IMAC, without an allocator, and a program that
# verifies with it. Runs the program under QEMU, and prints flash and stack. Fails if the known
# signature is refused, another message is accepted, a limit is exceeded, or an allocator or a
# random generator is linked. Needs clang, python3, qemu-system-arm, qemu-user, binutils.
set -euo pipefail
cd "$(dirname "$0")"

readonly ROOT="$PWD/../../.."
readonly BUILD="${CARGO_TARGET_DIR:-$ROOT/target}/firmware-c"
mkdir -p "$BUILD"
linker="$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld"

python3 - "$ROOT/kat/falcon-round3/falcon512-KAT.first10.rsp" >"$BUILD/vectors.h" <<'END'
# Record 0: its signed message is a length (2 bytes), nonce (40), message, 0x29, and the rest of the
# signature.
import sys

record = {}
for line in open(sys.argv[1]):
    name, _, value = line.strip().partition(" = ")
    if name in ("pk", "msg", "sm"):
        record.setdefault(name, bytes.fromhex(value))
message = record["msg"]
signed = record["sm"]
signature = b"\x39" + signed[2:42] + signed[42 + len(message) + 1 :]
for name, value in ("verifying_key", record["pk"]), ("message", message), ("signature", signature):
    print(f"static const uint8_t {name}[] = {{{','.join(map(str, value))}}};")
END

# value NAME TEXT: the number that the program reported.
value() { sed -n "s/^$1=\([0-9]*\)$/\1/p" <<<"$2"; }

# check TARGET STACK FLASH PLATFORM RUNNER CFLAGS LDFLAGS: the limits are in bytes, as measured with
# the pinned compiler, rounded up to the next multiple of 64.
check() {
    local target="$1" stack="$2" flash="$3" platform="$4" runner="$5" cflags="$6" ldflags="$7"
    local folder="$BUILD/$target" output bytes found
    mkdir -p "$folder"
    echo "== falconsign_verify_encoded, $target"
    (cd "$ROOT" && CARGO_PROFILE_RELEASE_OPT_LEVEL=s cargo rustc --locked --quiet --release \
        -p falcon-c --no-default-features --lib --crate-type staticlib --target "$target" \
        --target-dir "$BUILD/cargo")
    for source in verify "$platform"; do
        # shellcheck disable=SC2086
        clang $cflags -Os -std=c11 -Wall -Wextra -Wpedantic -Werror \
            -ffreestanding -ffunction-sections -fdata-sections -I "$BUILD" \
            -I "$ROOT/crates/falcon-c/include" -c "$source.c" -o "$folder/$source.o"
    done
    # shellcheck disable=SC2086
    "$linker" -flavor gnu --gc-sections $ldflags "$folder/verify.o" "$folder/$platform.o" \
        "$BUILD/cargo/$target/release/libfalconsign.a" -o "$folder/verify"
    # shellcheck disable=SC2086
    output=$(timeout 120 $runner "$folder/verify") || {
        echo "FAILED: $output" >&2
        return 1
    }
    bytes=$(size -A "$folder/verify" |
        awk '$1 ~ /^\.(vector_table|text|rodata|data)$/ { sum += $2 } END { print sum }')
    echo "$output"
    echo "verify_c_flash_bytes=$bytes (with 1.7 KB of vectors)"
    [ "$(value verify_c_stack_bytes "$output")" -le "$stack" ] ||
        { echo "FAILED: more stack than $stack bytes" >&2; return 1; }
    [ "$bytes" -le "$flash" ] || { echo "FAILED: more flash than $flash bytes" >&2; return 1; }
    found=$(nm "$folder/verify" |
        grep -E '__rust_alloc|malloc|getrandom|chacha|[Cc]rypto_?[Rr]ng' || true)
    [ -z "$found" ] || { echo "FAILED: linked: $found" >&2; return 1; }
}

check thumbv7em-none-eabihf 5440 17216 cortex_m \
    "qemu-system-arm -M mps2-an386 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel" \
    "--target=thumbv7em-none-eabihf -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16" \
    "-T memory.ld -e reset"
check riscv32imac-unknown-none-elf 5248 17600 linux qemu-riscv32 \
    "--target=riscv32-none-elf -march=rv32imac -mabi=ilp32" "-e _start"
