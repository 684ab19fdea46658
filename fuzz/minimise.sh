#!/usr/bin/env bash
# Rewrites fuzz/seeds: of the inputs that long runs have found, the fewest that reach the same code.
set -euo pipefail
cd "$(dirname "$0")/.."
. fuzz/common.sh

build
all_targets | while read -r target; do
    new=$(mktemp -d)
    mkdir -p "fuzz/seeds/$target"
    "$bin_dir/$target" -set_cover_merge=1 -use_counters=0 "$new" \
        "fuzz/seeds/$target" "fuzz/corpus/$target" >/dev/null 2>&1
    # Minimising removes inputs that reach nothing new, but never the last input.
    [ -n "$(ls "$new")" ]
    rm -r "fuzz/seeds/$target"
    mv "$new" "fuzz/seeds/$target"
    chmod 755 "fuzz/seeds/$target"
    printf '%s\t%d files\t%d bytes\n' "$target" "$(ls "fuzz/seeds/$target" | wc -l)" \
        "$(cat "fuzz/seeds/$target"/* | wc -c)"
done
