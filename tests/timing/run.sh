#!/usr/bin/env bash
# Measures the release build. Fails if the times of a case distinguish its two secrets, |t| > 5, or
# if the deliberate leak is not found. It takes some minutes. Run it on an idle machine, since other
# work can hide leaks.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --locked --release
"$CARGO_TARGET_DIR/release/falcon-timing" "$@" | awk '
    { print; fflush() }
    / max t = / {
        match($0, /max t = [-+.0-9]+/)
        t = substr($0, RSTART + 8, RLENGTH - 8) + 0
        t = t < 0 ? -t : t
        cases++
        if ($2 == "leak" ? t <= 5 : t > 5) { print "FAILED: " $2 ", |t| is " t; failed = 1 }
    }
    END { if (cases == 0) print "FAILED: no case ran"; exit failed || cases == 0 }'
