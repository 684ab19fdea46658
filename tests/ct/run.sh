#!/usr/bin/env bash
# Runs the constant-time check under Valgrind. Fails if a secret decides a branch or an address
# before its crate has revealed it, if a leak that was planted is not reported, or if two keys
# take different paths through PEM and hexadecimal.
# CT_ONLY=TEXT runs only the cases whose name contains TEXT, and leaves out PEM and hexadecimal:
# `CT_ONLY=mceliece tests/ct/run.sh` checks Classic McEliece alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Builds falcon-ct from the tree in folder $1 with the further options, and runs it.
check() {
    (cd "$1" && RUSTFLAGS="${RUSTFLAGS:-} --cfg falcon_ct -D warnings" \
        cargo build --locked --profile ct -p falcon-ct "${@:2}")
    valgrind --tool=memcheck --error-limit=no --undef-value-errors=yes --track-origins=no \
        --read-inline-info=yes --num-callers=24 -v --log-file="$log" \
        "$CARGO_TARGET_DIR/ct/falcon-ct" ${CT_ONLY:+"$CT_ONLY"}
}

if ! check .; then
    grep -A 14 -E 'Conditional jump|Use of uninitialised' "$log" | tail -n "${CT_LINES:-400}"
    exit 1
fi

# Hashes every instruction and every address of falcon-ct with the arguments "$@", from the first
# instruction of `write_and_read` on. The loader before it reads a few bytes beyond a string, which
# are random. Valgrind loads the program at 0x108000.
trace() {
    local program=$CARGO_TARGET_DIR/ct/falcon-ct first
    first=$(nm "$program" | awk '$3 == "falcon_ct_texts" { print $1 }')
    first=$(printf 'I  %08x,' $((0x108000 + 16#$first)))
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$program" "$@" 9>&1 |
        awk -v first="$first" 'index($0, first) == 1 { found = 1 } found && !/^==/ { lines++; print }
            END { exit lines < 100000 }' | sha256sum
}

if [ -z "${CT_ONLY:-}" ]; then
    echo "traces of two keys: PEM and hexadecimal"
    first=$(trace text 0)
    second=$(trace text 1)
    [[ $first == "$second" ]] || { echo "FAILED: the traces differ"; exit 1; }
    first=$(trace leak 0)
    second=$(trace leak 1)
    [[ $first != "$second" ]] || { echo "FAILED: a leak leaves the traces equal"; exit 1; }
    echo "ok: equal, and different with a deliberate leak"
fi

tests/ct/plant.py "$CARGO_TARGET_DIR/planted"
check "$CARGO_TARGET_DIR/planted" --features planted
