#!/usr/bin/env bash
# Instructions per operation on AArch64, ours and the peers', counted under
# QEMU's user mode. Counts repeat exactly; they are not times.
#
#   benches/arm/run.sh [--json] [--strict] [--engine NAME] [WORD...]
#       a row for each operation whose name contains all words, and the bars
#   benches/arm/run.sh profile [--engine NAME] [WORD...]
#       the same, then the functions (inlined ones apart) that ran, the 25 (or
#       PROFILE_LINES) with most instructions
#   benches/arm/run.sh --loops
#       FFT, NTT and Keccak-f alone: calls, butterflies or permutations of a
#       call, its instructions, loads, stores
#
# What is needed stands in guest.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh

profile=
if [ "${1:-}" = profile ]; then
    profile=yes
    shift
fi
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

build_guest
run_guest "$run" "$@"
[ -n "$profile" ] || exit 0

# Blocks overlap: executions of each instruction first, then names. Additions,
# loads and the like are inlined everywhere and say nothing: what counts is the
# innermost function that is neither of the standard library nor an operation of
# lanes; a closure counts for the function that it stands in.
awk '{ for (i = 0; i < $3; i++) executed[$2 + 4 * i] += $4 }
    END { for (a in executed) printf "%x %d\n", a, executed[a] }' "$run/blocks" >"$run/executed"
cut -d' ' -f1 "$run/executed" |
    aarch64-linux-gnu-addr2line -e "$GUEST" -a -f -i -C >"$run/names"
awk 'FNR == NR { executed[$1] = $2; total += $2; next }
    function close_address() {
        if (name == "") name = innermost
        sums[name] += executed[address]
    }
    /^0x/ {
        if (address != "") close_address()
        address = $1; sub(/^0x0*/, "", address)
        name = innermost = ""; odd = 1; next
    }
    {
        if (odd) {
            if (innermost == "") innermost = $0
            candidate = $0
        } else if (name == "" && $0 !~ /\/library\/(core|alloc|std)\/|\/falcon-(core\/src\/lanes|lanes\/src|neon\/src)\//) {
            sub(/:[0-9?]+( .*)?$/, ""); sub(/.*\/registry\/src\/[^\/]*\//, ""); sub(/.*\/crates\//, "")
            gsub(/::\{\{closure\}\}/, "", candidate)
            name = candidate "  " $0
        }
        odd = !odd
    }
    END {
        close_address()
        for (n in sums) printf "%.1f%% %d %s\n", 100 * sums[n] / total, sums[n], n
    }' "$run/executed" "$run/names" |
    sed 's/::h[0-9a-f]\{16\}//' | sort -k2,2nr >"$run/functions"
sed -n "1,${PROFILE_LINES:-25}p" "$run/functions"
