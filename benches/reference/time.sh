#!/usr/bin/env bash
# Times Falcon's C reference and this project's plain calls in turn, on x86-64.
#
#   benches/reference/time.sh [TURNS]   a row for each operation and implementation, a JSON object a
#                                       line, nanoseconds: the minimum of the turns (7)
#
# docs/reference-zen5.jsonl holds such rows, below a line with command, date, commit and processor.
# A test compares docs/PERFORMANCE.md with it. The reference computes with AVX2 and without fused
# multiply-add, which would change some signatures. Needs gcc and pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/reference/fetch.sh

out="${CARGO_TARGET_DIR:-target}/reference"
fetch_reference "$out"
gcc -O3 -mavx2 -DFALCON_AVX2=1 -DFALCON_CONFIG_H__ -DTIMES "$out"/*.c -o "$out/reference"
cargo build --locked --quiet --release -p falcon-benches --bin compare

for ((turn = 0; turn < ${1:-7}; turn++)); do
    "$out/reference"
    "${CARGO_TARGET_DIR:-target}/release/compare" --quick --json 2>/dev/null | grep '"as called"'
done | python3 -c '
import json, sys
least = {}
for line in sys.stdin:
    row = json.loads(line)
    names = "operation", "mode", "parameters", "engine"
    key = tuple(row[name] for name in names)
    if isinstance(row["ns"], (int, float)):
        least[key] = min(row["ns"], least.get(key, row["ns"]))
for key, ns in sorted(least.items()):
    print(json.dumps(dict(zip(names, key)) | {"ns": round(ns, 1)}))
'
