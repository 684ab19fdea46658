#!/usr/bin/env bash
# Times the C library beside `falcon-core`: speed.sh [RUNS [ROUNDS]]. Builds both as releases.
#
# Prints the shortest times of all runs, by default 24 of 2000 rounds. In each run the working
# memory lies elsewhere, which moves the time of a signature by up to 4 %.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

prefix=$(mktemp -d)
trap 'rm -r "$prefix"' EXIT
./install.sh "$prefix"
cargo build --locked --release --example overhead
metadata=$(cargo metadata --locked --no-deps --format-version 1)
program=$(sed 's/.*"target_directory":"\([^"]*\)".*/\1/' <<<"$metadata")/release/examples/overhead
for ((run = 0; run < ${1:-24}; run++)); do
    "$program" "$prefix/lib/libfalconsign.so" "${2:-2000}"
done | awk -F '\t' '
    NF == 1 && !engine { engine = $0; print }
    NF != 3 { next }
    !($1 in rust) { names[++count] = $1; rust[$1] = $2; c[$1] = $3 }
    { if ($2 + 0 < rust[$1]) rust[$1] = $2 }
    { if ($3 + 0 < c[$1]) c[$1] = $3 }
    END {
        for (i = 1; i <= count; i++) {
            name = names[i]
            printf "%-30s Rust %8.3f  C %8.3f  %+.2f %%\n", name, rust[name], c[name],
                (c[name] / rust[name] - 1) * 100
        }
    }'
