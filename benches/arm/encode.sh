#!/usr/bin/env bash
# Instructions of ENCODE on AArch64, counted under QEMU's user mode. ENCODE is the part of Classic
# McEliece that computes the syndrome of a given error vector. Counts it within our encapsulation,
# and in PQClean's portable C code.
#
#   benches/arm/encode.sh            a row for each set and code, a JSON object a line
#   benches/arm/encode.sh --renew    writes them into benches/arm/encode.jsonl, with which a test
#                                    compares docs/MCELIECE.md
#
# guest.sh lists the required packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh

if [ "${1:-}" = --renew ]; then
    rows="$("$0")"
    printf '%s\n' "$rows" >benches/arm/encode.jsonl
    exit
fi
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

# row SET CODE INSTRUCTIONS
row() {
    printf '{"operation":"encode","parameters":"mceliece%s","engine":"%s","instructions":%d}\n' "$@"
}

# add_rows ROWS OPERATIONS: prints the instructions of an operation in the function `add_rows`, with
# the code that is inlined into it. If `add_rows` is inlined into `encapsulate`, counts the blocks
# of `encapsulate` that ran for every eight rows, or at most once less. This leaves out about 120
# instructions.
add_rows() {
    local start length name
    aarch64-linux-gnu-nm -S --demangle "$GUEST" |
        sed -n 's/ . mceliece_core::\(operations::add_rows\|keys::PublicKey.*::encapsulate\).*/ \1/p' |
        while read -r start length name; do
            echo "$((16#$start)) $((16#$start + 16#$length)) $name"
        done |
        awk -v times="$((($1 / 8 - 1) * $2))" -v operations="$2" '
            FNR == NR {
                start[FNR] = $1; end[FNR] = $2; whole[FNR] = $3 ~ /add_rows/; functions = FNR
                next
            }
            {
                for (i = 1; i <= functions; i++)
                    if (start[i] <= $2 && $2 < end[i] && (whole[i] || $4 >= times))
                        sum += $3 * $4
            }
            END { printf "%.0f", sum / operations }' - "$run/blocks"
}

build_guest --mceliece
for engine in neon portable; do
    for set in 348864f:768 460896f:1248 6688128f:1664 8192128f:1664; do
        rows="${set#*:}"
        set="${set%:*}"
        rm -f "$run/counts" "$run/blocks"
        operations="$(run_guest "$run" --mceliece --json --engine "$engine" encap/ "$set" |
            sed -n 's/.*"operations":\([0-9]*\).*/\1/p')"
        row "$set" "$engine" "$(add_rows "$rows" "$operations")"
    done
done

# The folder of a package's source.
source_of() {
    cargo metadata --locked --format-version 1 |
        sed "s/.*\"manifest_path\":\"\([^\"]*\/$1-[0-9.]*\)\/Cargo.toml\".*/\1/"
}
pqclean="$(source_of pqcrypto-classicmceliece)/pqclean"
internals="$(source_of pqcrypto-internals)/include"
for set in 348864f 460896f 6688128f 8192128f; do
    clean="$pqclean/crypto_kem/mceliece$set/clean"
    rm -f "$run/counts"
    # Drops the unused `gen_e`, which would need other files.
    aarch64-linux-gnu-gcc -O3 -static -ffunction-sections -Wl,--gc-sections \
        -I "$clean" -I "$internals" -I "$pqclean/common" benches/arm/encode.c -o "$run/encode"
    mark="$(aarch64-linux-gnu-nm "$run/encode" | sed -n 's/^\([0-9a-f]*\) T mark$/0x\1/p')"
    (
        cd "$run"
        env -i "$(command -v qemu-aarch64)" -cpu "$CPU" \
            -plugin "./plugin.so,mark=$mark,out=counts" ./encode
    )
    # The second line counts the four calls between the marks.
    row "$set" pqclean "$(awk 'NR == 2 {
        for (i = 1; i <= NF; i++) sum += $i
        printf "%.0f", sum / 4
    }' "$run/counts")"
done
