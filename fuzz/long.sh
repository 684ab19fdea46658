#!/usr/bin/env bash
# Fuzzes for hours, at the lowest priority, one target after another.
#
#   long.sh TOTAL     until all targets together have executed TOTAL inputs since the first run
#   long.sh --record  adds what was executed to fuzz/EXECUTIONS.tsv
#
# Several instances may run at once: each takes a target that no other instance is running.
# `kill PID` stops an instance; its counts are kept. A later run continues with the same corpus. New
# inputs and counts that are not recorded yet are in fuzz/corpus. A target that fails is not run
# again, its input is in fuzz/artifacts/TARGET, and the exit status is 1.
#
# FUZZ_SLOT: seconds of a target before the next one's turn, 300 by default.
# FUZZ_NICE: priority, by default 19, the lowest.
set -euo pipefail
cd "$(dirname "$0")/.."
. fuzz/common.sh

table=fuzz/EXECUTIONS.tsv
counts=fuzz/corpus/executions

# Sums the rows with equal date, tree and target.
sums() {
    awk -F'\t' -v OFS='\t' '/^[0-9]/ { key = $1 OFS $2 OFS $3; n[key] += $4; s[key] += $5 }
        END { for (key in n) print key, n[key], s[key] }' "$@" | sort
}

record() {
    [ -s "$counts" ] || return 0
    # From here on, running fuzzers append to a new file.
    mv "$counts" "$counts.taken"
    {
        sed -n '/^#date/q; p' "$table"
        printf '#date\ttree\ttarget\texecutions\tseconds\n'
        sums "$table" "$counts.taken"
    } >"$table.new"
    mv "$table.new" "$table"
    rm "$counts.taken"
}

total() {
    cat "$table" "$counts" 2>/dev/null | awk -F'\t' '/^[0-9]/ { n += $4 } END { printf "%d\n", n }'
}

touch "$table"
if [ "${1:-}" = --record ]; then
    record
    total
    exit
fi
goal="${1:-}"
if [ $# -ne 1 ] || ! [[ $goal =~ ^[0-9]+$ ]]; then
    echo "usage: fuzz/long.sh TOTAL, a number of inputs, or fuzz/long.sh --record" >&2
    exit 2
fi
slot="${FUZZ_SLOT:-300}"
# Identifies the tested code.
tree=$(git rev-parse HEAD:crates | cut -c1-12)
renice -n "${FUZZ_NICE:-19}" $$ >/dev/null

build
# A copy of the programs, which a later build does not change.
bin=$(mktemp -d)
mapfile -t targets < <(all_targets)
for target in "${targets[@]}"; do cp "$bin_dir/$target" "$bin"; done

child=
stopped=
stop() {
    stopped=yes
    # The fuzzer prints its counts when it is interrupted.
    [ -z "$child" ] || pkill -INT -P "$child" || true
}
trap stop TERM INT
trap 'rm -rf "$bin"' EXIT

# Runs one target in the background: a trap interrupts `wait`, but no other command.
run_slot() {
    local target=$1 log="$bin/$1.log" start=$SECONDS executions
    fuzz_one "$bin/$target" "$log" -max_total_time="$slot" &
    child=$!
    while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done
    child=
    executions=$(executed "$log")
    printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%F)" "$tree" "$target" "${executions:-0}" \
        $((SECONDS - start)) >>"$counts"
    grep -qE 'SUMMARY: libFuzzer|ERROR: libFuzzer' "$log" || return 0
    cp "$log" "fuzz/artifacts/$target/log"
    touch "fuzz/artifacts/$target/failed"
}

echo "pid $$, $(total) of $goal inputs so far"
failed=
while [ -z "$stopped" ] && [ "$(total)" -lt "$goal" ]; do
    turns=0
    for target in "${targets[@]}"; do
        [ -z "$stopped" ] || break
        [ ! -e "fuzz/artifacts/$target/failed" ] || { failed=yes; continue; }
        exec 9>"fuzz/corpus/$target.lock"
        flock -n 9 || continue
        run_slot "$target"
        exec 9>&-
        turns=$((turns + 1))
        echo "$(date -u +%T) $target, $(total) inputs"
    done
    [ "$turns" -gt 0 ] || { echo "no target is free" >&2; break; }
done
echo "$(total) inputs"
[ -z "$failed" ]
