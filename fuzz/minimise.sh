#!/usr/bin/env bash
# Rewrites fuzz/seeds. Keeps few of the inputs in fuzz/seeds and fuzz/corpus, which together reach
# the same code as all of them.
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
