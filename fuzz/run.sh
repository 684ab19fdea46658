#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: run.sh [SECONDS [TARGET...]].
# A panic, a failed assertion, an input slower than 10 s or 1 GB of memory ends
# it with an error and leaves the input in fuzz/artifacts. Needs a nightly
# toolchain and cargo-fuzz. No address sanitizer: what is `unsafe` here, the engines' loads
# and stores, goes through references to arrays of the right length.
set -euo pipefail
cd "$(dirname "$0")/.."

nightly="${FALCON_NIGHTLY:-nightly}"
seconds="${1:-20}"
shift || true
if [ $# -gt 0 ]; then
    targets=("$@")
else
    mapfile -t targets < <(cargo "+$nightly" fuzz list | grep -v '^seeds$')
fi
[ "${#targets[@]}" -gt 0 ] || { echo "no fuzz targets" >&2; exit 1; }

triple=$(rustc -vV | sed -n 's/^host: //p')
cargo "+$nightly" fuzz build --sanitizer none --target "$triple"
bin_dir="${CARGO_TARGET_DIR:-fuzz/target}/$triple/release"
FALCON_CORPUS=fuzz/corpus "$bin_dir/seeds" >/dev/null

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "${targets[@]}"; do
    echo "== fuzz $target, $seconds s"
    mkdir -p "fuzz/artifacts/$target"
    if ! "$bin_dir/$target" "fuzz/corpus/$target" -artifact_prefix="fuzz/artifacts/$target/" \
        -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz $target failed" >&2
        exit 1
    fi
    grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$log"
    grep -E 'cov: ' "$log" | tail -n 1
done
