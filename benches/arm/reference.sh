#!/usr/bin/env bash
# Instructions per operation of Falcon's C reference on AArch64, counted under QEMU's user mode as
# `run.sh` counts ours.
#
#   benches/arm/reference.sh            a row for each operation, a JSON object a line
#   benches/arm/reference.sh --renew    writes them into benches/arm/reference.jsonl, with which a
#                                       test compares docs/PERFORMANCE.md
#
# Needs pip, and the packages that guest.sh lists.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh
source benches/reference/fetch.sh

if [ "${1:-}" = --renew ]; then
    rows="$("$0")"
    printf '%s\n' "$rows" >benches/arm/reference.jsonl
    exit
fi
need "gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" \
    gcc aarch64-linux-gnu-gcc aarch64-linux-gnu-nm qemu-aarch64
build_plugin "$OUT" qemu-aarch64
folder="$OUT/reference"
fetch_reference "$folder"
cp "$OUT/plugin.so" "$folder"
cd "$folder"
aarch64-linux-gnu-gcc -O3 -static -DFALCON_CONFIG_H__ ./*.c -o reference

mark="$(aarch64-linux-gnu-nm reference | sed -n 's/^\([0-9a-f]*\) T mark$/0x\1/p')"
rm -f counts
env -i "$(command -v qemu-aarch64)" -seed 1 -cpu "$CPU" \
    -plugin "./plugin.so,mark=$mark,out=counts" ./reference >names
# Every second line of the plugin counts what ran between the two marks of a pair.
sed -n 'n;p' counts | paste -d ' ' names - | awk '{
    total = 0
    for (i = 5; i <= NF; i++) total += $i
    printf "{\"operation\":\"%s\",\"mode\":\"%s\",\"parameters\":\"falcon-%d\"", $1, $2, $3
    printf ",\"engine\":\"reference\",\"operations\":%d,\"instructions\":%.0f}\n", $4, total / $4
}'
