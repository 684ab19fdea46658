#!/usr/bin/env bash
# Instructions per operation on AArch64, of our code and the peers', counted under QEMU's user mode.
# Counts repeat exactly. They are not times.
#
#   benches/arm/run.sh [--json] [--strict] [--engine NAME] [WORD...]
#       a row for each operation whose name contains all words, and the bars
#   benches/arm/run.sh profile [--engine NAME] [WORD...]
#       the same, then the 25 (or PROFILE_LINES) functions with most instructions; inlined
#       functions are listed separately
#   benches/arm/run.sh [profile] --mceliece [--pqclean] [--engine NAME] [WORD...]
#       the same for Classic McEliece (the sets with `f`) and pq-mceliece. With --pqclean also for
#       PQClean's portable C code, which takes minutes to build and to count
#   benches/arm/run.sh --renew
#       writes date, commit and rows into benches/arm/counts.jsonl. With --strict, a row that
#       differs by more than 0.5 % is an error. A test compares docs/PERFORMANCE.md with the file
#   benches/arm/run.sh --renew mceliece
#       writes rows of Classic McEliece into benches/arm/mceliece.jsonl
#   benches/arm/run.sh --loops
#       FFT, NTT and Keccak-f alone: number of calls, and the butterflies or permutations,
#       instructions, loads and stores of one call
#
# reference.sh counts Falcon's C reference, encode.sh a part of Classic McEliece. guest.sh lists
# the required packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh

profile=
if [ "${1:-}" = profile ]; then
    profile=yes
    export GUEST_DEBUG=limited
    shift
fi
if [ "$*" = '--renew mceliece' ]; then
    rows="$(
        for engine in neon portable pq-mceliece; do
            "$0" --json --mceliece --engine "$engine" || exit
        done
    )"
    grep memory_share <<<"$rows" >benches/arm/mceliece.jsonl
    exit
fi
if [ "${1:-}" = --renew ]; then
    rows="$(
        "$0" --json
        COUNT_CPU=max,sve=off "$0" --json --engine neonsha3x4
    )"
    {
        echo "{\"command\":\"benches/arm/run.sh\",\"origin\":\"$(origin)\"}"
        grep memory_share <<<"$rows"
    } >benches/arm/counts.jsonl
    exit
fi
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

build_guest "$@"
run_guest "$run" "$@"
[ -n "$profile" ] || exit 0

print_profile "$run" "$GUEST" aarch64-linux-gnu-addr2line "$LANES"
