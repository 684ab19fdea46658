#!/usr/bin/env bash
# Compiles ceilings.cu to ceilings.ptx, and writes the hashes of both and of every header that
# was read to ceilings.sha256. A test compares the hashes. Run it after each change of
# ceilings.cu or of one of these headers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
dependencies="$(mktemp)"
trap 'rm "$dependencies"' EXIT
../../crates/falcon-gpu/ptx.sh --file "$PWD/ceilings.cu" "$PWD/ceilings.ptx" \
    -MMD -MF "$dependencies"
# Keeps only files of this repository.
tr -d '\\\n' <"$dependencies" | tr ' ' '\n' | sed -n -E -e "s|^$PWD/(ceilings\.cu)$|\1|p" \
    -e 's|^kernels/|../../crates/falcon-gpu/kernels/|p' |
    LC_ALL=C sort -u | xargs sha256sum ceilings.ptx >ceilings.sha256
