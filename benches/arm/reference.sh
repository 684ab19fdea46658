#!/usr/bin/env bash
# Instructions per operation of Falcon's C reference on AArch64, counted under QEMU's user mode as
# `run.sh` counts ours.
#
#   benches/arm/reference.sh            a row for each operation, a JSON object a line
#   benches/arm/reference.sh --renew    writes them into benches/arm/reference.jsonl, with which a
#                                       test compares docs/PERFORMANCE.md
#
# The source is algorand/falcon's copy of the reference, which pip downloads as a part of a package.
# That copy's `config.h` asks for emulated binary64. It is left out, so the code computes with
# doubles, which is the reference's own default. Needs pip, and the packages that guest.sh lists.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source benches/arm/guest.sh

readonly PACKAGE=algorand-falcon==0.1.0
readonly ARCHIVE=algorand_falcon-0.1.0
readonly SHA256=f09a43c240a6182436b6878b552ba55d4e62f4a61512c0f899039379d65551f6

if [ "${1:-}" = --renew ]; then
    rows="$("$0")"
    printf '%s\n' "$rows" >benches/arm/reference.jsonl
    exit
fi
need "gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" \
    gcc aarch64-linux-gnu-gcc aarch64-linux-gnu-nm qemu-aarch64
build_plugin "$OUT" qemu-aarch64
folder="$OUT/reference"
mkdir -p "$folder"
if [ ! -e "$folder/$ARCHIVE.tar.gz" ]; then
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$folder" "$PACKAGE"
fi
sha256sum --check --quiet <<<"$SHA256  $folder/$ARCHIVE.tar.gz"
tar -C "$folder" --strip-components=3 -xzf "$folder/$ARCHIVE.tar.gz" "$ARCHIVE/vendor/falcon"
cp benches/arm/reference.c "$OUT/plugin.so" "$folder"
cd "$folder"
# Deterministic signatures are Algorand's own.
rm deterministic.c
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
