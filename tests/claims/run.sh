#!/usr/bin/env bash
# Runs every command of claims.tsv once and prints the claims that it supports. Fails if a command
# fails, or if a `cargo test` command runs no test.
# tests/claims/run.sh [WORD]      runs only commands that contain WORD
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly TABLE=tests/claims/claims.tsv
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
while IFS= read -r command; do
    echo "== $command"
    read -ra words <<<"$command"
    result=ok
    "${words[@]}" </dev/null >"$log" 2>&1 || result=FAILED
    if [[ $command == *"cargo test"* ]] && ! grep -Eq '^test result: ok\. [1-9]' "$log"; then
        result=FAILED
    fi
    if [ "$result" = FAILED ]; then
        tail -n 60 "$log"
        status=1
    fi
    awk -F'\t' -v command="$command" -v result="$result" \
        '$3 == command { printf "%-6s %s: %s\n", result, $1, $2 }' "$TABLE"
done < <(awk -F'\t' -v word="${1:-}" \
    '/^#/ || $1 == "page" || $3 ~ /^in / { next }
    index($3, word) && !seen[$3]++ { print $3 }' "$TABLE")
exit "$status"
