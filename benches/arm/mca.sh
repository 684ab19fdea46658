#!/usr/bin/env bash
# Cycles of our code and the peers', estimated by LLVM's processor models. They are not times on a
# chip.
#
#   benches/arm/mca.sh                              FFT, NTT and Keccak-f alone, for one
#                                                   butterfly or permutation
#   benches/arm/mca.sh [--engine NAME] WORD...      whole operations, as in run.sh
#
# Each loop or operation runs a few times under QEMU. llvm-mca gets every block of instructions that
# was executed, and estimates a hundred repetitions of it. The sum counts each block as often as it
# was executed. So a block overlaps with itself and not with its neighbours. There are no cache
# misses, no mispredicted branches, and no stores that delay loads.
#
# Needed: the packages that guest.sh names, and llvm-22 or another version in LLVM_VERSION.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh
export GUEST_DEBUG=limited

readonly LLVM_VERSION="${LLVM_VERSION:-22}"
# LLVM uses the model of Cyclone for apple-m1, and that of Cortex-A57 for cortex-a72.
readonly CPUS=(apple-m1 neoverse-n1 neoverse-v2 cortex-a72)
readonly OBJDUMP="llvm-objdump-$LLVM_VERSION" MCA="llvm-mca-$LLVM_VERSION"

need "llvm-$LLVM_VERSION" "$OBJDUMP" "$MCA"
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

build_guest "$@"
# A row: name, number of operations that were counted, and instructions, loads and stores of one
# operation.
if [ $# -eq 0 ]; then
    run_guest "$run" --loops |
        awk '{ print $1, $2 * $3, $4 / $3, $5 / $3, $6 / $3 }' >"$run/rows"
else
    run_guest "$run" "$@" | awk '$6 ~ /^[0-9]+$/ { print $1, $6, $2, $3, $4 }' >"$run/rows"
fi

# An instruction at address 0 cannot reach its branch target. Calls and returns become jumps: their
# targets are blocks of their own, and llvm-mca would count a hundred cycles for a call.
"$OBJDUMP" --disassemble --no-show-raw-insn --mattr=+sha3 "$GUEST" |
    sed -n 's/^ *\([0-9a-f]*\):[[:space:]]*\([a-z]\)/\1 \2/p' |
    sed 's/\(0x[0-9a-f]*\) <[^>]*>/#0/; s/ *<[^>]*>.*//' |
    sed 's/ bl[r]*[[:space:]].*/ b #0/; s/ ret.*/ b #0/' >"$run/instructions"

# One region for each distinct block. The same code ran in blocks of several lengths if QEMU began
# to translate in the middle of a block.
cut -d' ' -f2,3 "$run/blocks" | sort -u |
    awk '{ printf "%x %d %d_%d\n", $1, $2, $1, $2 }' >"$run/distinct"
awk 'FNR == NR { at[$1] = NR; text[NR] = substr($0, length($1) + 2); next }
    {
        print "// LLVM-MCA-BEGIN " $3
        for (i = 0; i < $2; i++) print text[at[$1] + i]
        print "// LLVM-MCA-END"
    }' "$run/instructions" "$run/distinct" >"$run/regions.s"

# Number of multiplications fused with an addition, in each block. Without fusing there would be one
# instruction more for each.
awk 'FNR == NR { at[$1] = NR; fused[NR] = $2 ~ /^fn?(ml[as]|m(add|sub))$/; next }
    {
        n = 0
        for (i = 0; i < $2; i++) n += fused[at[$1] + i]
        print $3, n
    }' "$run/instructions" "$run/distinct" >"$run/fused"

for cpu in "${CPUS[@]}"; do
    "$MCA" -mtriple=aarch64-linux-gnu -mcpu="$cpu" -mattr=+sha3 -iterations=100 \
        -instruction-info=false -resource-pressure=false "$run/regions.s" |
        awk -v cpu="$cpu" '/Code Region - / { name = $NF }
            /^Total Cycles:/ { print cpu, name, $3 / 100 }'
done >"$run/cycles"

echo "| | instructions | loads | stores | fused |$(printf ' %s |' "${CPUS[@]}")"
echo "|---|---|---|---|---|$(printf -- '---|%.0s' "${CPUS[@]}")"
awk -v cpus="${CPUS[*]}" '
    function number(x) { return sprintf(x < 100 ? " %.2f |" : " %d |", x) }
    FILENAME ~ /cycles$/ { cycles[$1, $2] = $3; next }
    FILENAME ~ /fused$/ { fused[$1] = $2; next }
    FILENAME ~ /blocks$/ {
        n = split(cpus, cpu, " ")
        for (c = 1; c <= n; c++) {
            if (!((cpu[c], $2 "_" $3) in cycles)) {
                print "no estimate of a block" >"/dev/stderr"
                exit 1
            }
            sums[$1, c] += $4 * cycles[cpu[c], $2 "_" $3]
        }
        sums[$1, "fused"] += $4 * fused[$2 "_" $3]
        next
    }
    {
        printf "| %s |", $1
        for (i = 3; i <= 5; i++) printf "%s", number($i)
        printf "%s", number(sums[FNR - 1, "fused"] / $2)
        for (c = 1; c <= n; c++) printf "%s", number(sums[FNR - 1, c] / $2)
        print ""
    }' "$run/cycles" "$run/fused" "$run/blocks" "$run/rows"
