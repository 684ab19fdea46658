#!/usr/bin/env bash
# Instructions per operation on microcontrollers without a binary64 unit, counted under QEMU. Counts
# repeat exactly. They are not cycles.
#
#   benches/firmware/run.sh [cortex-m4|rv32imac [WORD]]
#       a row for each operation whose name contains WORD: instructions of one operation, and its
#       stack in bytes
#   benches/firmware/run.sh profile cortex-m4|rv32imac [WORD]
#       the same, then the functions with most instructions; inlined functions are listed separately
#   benches/firmware/run.sh strict
#       every row; fails if one is above its bar or far below it, or differs from counts.tsv in the
#       stack, or by more than 0.5 % in the instructions
#   benches/firmware/run.sh renew
#       writes counts.tsv. A test compares docs/PERFORMANCE.md with it
#
# OPT_LEVEL=s builds for size instead of speed. Needed: gcc, qemu-user,
# qemu-system-arm, binutils-arm-none-eabi, and the targets of rustup.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/qemu/common.sh

# Thousands of instructions, 3 % above the count. Key generation varies more.
readonly BARS='
cortex-m4 keygen/seed/falcon-512 55010
cortex-m4 sign/encoded/falcon-512 23723
cortex-m4 sign/decoded/falcon-512 22290
cortex-m4 verify/encoded/falcon-512 372
cortex-m4 verify/prepared/falcon-512 308
cortex-m4 keygen/seed/falcon-1024 158159
cortex-m4 sign/encoded/falcon-1024 52351
cortex-m4 sign/decoded/falcon-1024 49344
cortex-m4 verify/encoded/falcon-1024 785
cortex-m4 verify/prepared/falcon-1024 642
cortex-m4 keygen/small/348864f 790124
cortex-m4 encapsulate/stream/348864 735
cortex-m4 encapsulate/stream/8192128 3457
cortex-m4 decapsulate/decoded/348864 3669
cortex-m4 decapsulate/decoded/6688128 10782
rv32imac keygen/seed/falcon-512 67750
rv32imac sign/encoded/falcon-512 31691
rv32imac sign/decoded/falcon-512 29980
rv32imac verify/encoded/falcon-512 443
rv32imac verify/prepared/falcon-512 366
rv32imac keygen/seed/falcon-1024 212485
rv32imac sign/encoded/falcon-1024 70124
rv32imac sign/decoded/falcon-1024 66504
rv32imac verify/encoded/falcon-1024 942
rv32imac verify/prepared/falcon-1024 776
rv32imac keygen/small/348864f 769797
rv32imac encapsulate/stream/348864 1857
rv32imac encapsulate/stream/8192128 9663
rv32imac decapsulate/decoded/348864 4064
rv32imac decapsulate/decoded/6688128 11638
'
profile= strict=
case "${1:-}" in
profile)
    profile=yes
    shift
    ;;
strict)
    strict=yes
    shift
    ;;
renew)
    rows=$("$0")
    {
        echo "# Instructions of one operation and stack in bytes, of benches/firmware/run.sh renew."
        echo "# Origin: $(origin)"
        printf 'processor\toperation\tinstructions\tstack\n'
        awk '/^==/ { cpu = $2; next } cpu { print cpu "\t" $1 "\t" $2 "\t" $3 }' <<<"$rows"
    } >benches/firmware/counts.tsv
    exit
    ;;
esac
# The target folder of examples/firmware, so that the builds of its build scripts, which take
# longest, are reused.
OUT="$(realpath -m "${CARGO_TARGET_DIR:-examples/firmware/target}")"
readonly OUT
need "gcc binutils qemu-user qemu-system-arm" gcc nm addr2line qemu-riscv32 qemu-system-arm
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

# count_on TARGET EMULATOR OPTION...: builds the program for TARGET and counts its instructions. The
# last option must expect the program after it.
count_on() {
    local target="$1" guest mark
    shift
    guest="$OUT/$target/release/count"
    (
        cd examples/firmware
        CARGO_TARGET_DIR="$OUT" CARGO_PROFILE_RELEASE_DEBUG=limited \
            CARGO_PROFILE_RELEASE_OPT_LEVEL="${OPT_LEVEL:-3}" \
            cargo build --locked --quiet --release --target "$target" --bin count \
            --features large,mceliece
    )
    mark="$(nm --demangle "$guest" |
        sed -n 's/^\([0-9a-f]*\) . count::mark\(::h[0-9a-f]*\)\?$/0x\1/p')"
    [ -n "$mark" ] || { echo "$guest has no symbol count::mark" >&2; return 1; }
    build_plugin "$run" "$1"
    "$1" -plugin "$run/plugin.so,mark=$mark,out=$run/counts,blocks=$run/blocks" \
        "${@:2}" "$guest" >"$run/rows"
    if [ "$(wc -l <"$run/counts")" -ne $((2 * $(wc -l <"$run/rows"))) ]; then
        echo "the plugin has not met two marks for each operation" >&2
        return 1
    fi
    # The counts at every second mark, summed over all kinds, belong to the rows.
    awk -v word="$word" '
        FNR == NR { if (FNR % 2 == 0) { for (i = 1; i <= NF; i++) sum[FNR / 2] += $i } next }
        index($1, word) { printf "%-32s %13.0f %8d\n", $1, sum[FNR] / $2, $3 }
        ' "$run/counts" "$run/rows" | tee "$run/table"
    [ -z "$strict" ] || awk -v processor="$processor" '
        FNR == NR { if ($1 == processor) { bar[$2] = 1000 * $3; left++ } next }
        !($1 in bar) { print "no bar: " $1; failed = 1; next }
        { left-- }
        $2 > bar[$1] { printf "FAILED %s: at most %d\n", $1, bar[$1]; failed = 1 }
        # A count far below its bar means that the bar is out of date.
        $2 < 0.8 * bar[$1] { printf "FAILED %s: lower the bar, %d\n", $1, bar[$1]; failed = 1 }
        END { if (left) { print "FAILED: rows are missing"; failed = 1 } exit failed }
        ' <(echo "$BARS") "$run/table" >&2
    [ -z "$strict" ] || awk -v processor="$processor" '
        FNR == NR { if ($1 == processor) { count[$2] = $3; stack[$2] = $4 } next }
        !($1 in count) || ($2 - count[$1]) ^ 2 > (count[$1] / 200) ^ 2 || $3 != stack[$1] {
            printf "FAILED %s: %d instructions and %d bytes of stack in counts.tsv: renew it\n",
                $1, count[$1], stack[$1]
            failed = 1
        }
        END { exit failed }
        ' benches/firmware/counts.tsv "$run/table" >&2
    [ -n "$profile" ] || return 0
    awk -v word="$word" 'FNR == NR { wanted[FNR - 1] = index($1, word); next } wanted[$1]' \
        "$run/rows" "$run/blocks" >"$run/wanted"
    mv "$run/wanted" "$run/blocks"
    print_profile "$run" "$guest" addr2line '^never$'
}

printf '%-32s %13s %8s\n' "operation/key/parameters" "instructions" "stack"
word="${2:-}"
for processor in ${1:-cortex-m4 rv32imac}; do
    echo "== $processor"
    case "$processor" in
    cortex-m4)
        count_on thumbv7em-none-eabihf qemu-system-arm -M mps2-an386 -display none \
            -monitor none -serial none -semihosting-config enable=on,target=native -kernel
        ;;
    rv32imac) count_on riscv32imac-unknown-none-elf qemu-riscv32 ;;
    *)
        echo "no processor $processor" >&2
        exit 2
        ;;
    esac
done
