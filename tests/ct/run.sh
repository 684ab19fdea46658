#!/usr/bin/env bash
# Runs the constant-time check under Valgrind. Fails if a secret decides a
# branch or an address outside the accepted exceptions, if a deliberate leak is
# not noticed, or if an exception is listed that nothing needs any more.
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo build --locked --profile ct -p falcon-ct
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
valgrind --tool=memcheck --error-limit=no --undef-value-errors=yes --track-origins=no \
    --read-inline-info=yes --num-callers=24 -v --log-file="$log" \
    --suppressions=tests/ct/accepted.supp \
    "${CARGO_TARGET_DIR:-target}/ct/falcon-ct" || status=$?

if [ "$status" -ne 0 ]; then
    grep -A 14 -E 'Conditional jump|Use of uninitialised' "$log" | tail -n "${CT_LINES:-400}"
fi

# Valgrind lists the exceptions that it needed.
while read -r name; do
    if ! grep -q "used_suppression:.* $name " "$log"; then
        echo "accepted exception that nothing needs: $name" >&2
        status=1
    fi
done < <(sed -n 's/^ *\(falcon-[a-z-]*\)$/\1/p' tests/ct/accepted.supp)
exit "$status"
