#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: run.sh [SECONDS [TARGET...]].
# A panic, a failed assertion, an input slower than 10 s or 1 GB of memory ends
# the run with an error and leaves the input in fuzz/artifacts. Needs a nightly
# toolchain and cargo-fuzz. No address sanitizer: the only `unsafe` code here, the engines' loads
# and stores, goes through references to arrays of the right length. README.md names the exception.
set -euo pipefail
cd "$(dirname "$0")/.."
. fuzz/common.sh

seconds="${1:-20}"
shift || true
if [ $# -gt 0 ]; then
    targets=("$@")
else
    mapfile -t targets < <(all_targets)
    # A target that is not in the table would never run.
    diff <(printf '%s\n' "${targets[@]}" seeds | sort) <(cargo "+$nightly" fuzz list | sort)
fi

build
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "${targets[@]}"; do
    echo "== fuzz $target, $seconds s"
    if ! fuzz_one "$bin_dir/$target" "$log" -max_total_time="$seconds"; then
        tail -n 60 "$log"
        echo "fuzz $target failed" >&2
        exit 1
    fi
    grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$log"
    grep -E 'cov: ' "$log" | tail -n 1
done
