#!/usr/bin/env bash
# Packs into FOLDER all files that a machine with only a GPU driver needs: the program, run.sh, the
# commit, and the variants of the kernels. There, run.sh needs no Rust, no Python and no network.
#
#   pack.sh FOLDER [--binary FILE] [--variants FOLDER]
#
#   --binary FILE      pack this program; by default it is built
#   --variants FOLDER  pack these kernels (.ptx, .cubin): crates/falcon-gpu/ptx.sh --variants FOLDER
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$here/../.." folder="" binary="" variants=""
while [ $# -gt 0 ]; do
    case "$1" in
    --binary | --variants)
        [ $# -ge 2 ] || { echo "$1 needs a value" >&2; exit 2; }
        if [ "$1" = --binary ]; then binary="$2"; else variants="$2"; fi
        shift 2
        ;;
    -*) echo "usage: pack.sh FOLDER [--binary FILE] [--variants FOLDER]" >&2; exit 2 ;;
    *) folder="$1" && shift ;;
    esac
done
[ -n "$folder" ] || { echo "name the folder to pack to" >&2; exit 2; }
[ -z "$variants" ] || [ -d "$variants" ] || { echo "no folder $variants" >&2; exit 2; }
if [ -z "$binary" ]; then
    (cd "$root" && cargo build --locked --release -p falcon-gpu-bench --features cuda)
    binary="${CARGO_TARGET_DIR:-$root/target}/release/falcon-gpu-bench"
fi
mkdir -p "$folder"
cp "$here/run.sh" "$folder/run.sh"
cp "$binary" "$folder/falcon-gpu-bench"
strip "$folder/falcon-gpu-bench" 2>/dev/null || true
git -C "$here" log -1 --format='commit %H %s' >"$folder/commit" 2>/dev/null ||
    echo "commit unknown" >"$folder/commit"
git -C "$here" diff --quiet HEAD 2>/dev/null ||
    echo "with changes that are not committed" >>"$folder/commit"
rm -rf "$folder/variants"
if [ -n "$variants" ]; then
    mkdir -p "$folder/variants"
    for file in "$variants"/*.ptx "$variants"/*.cubin; do
        [ -e "$file" ] || continue
        # Some ways to transfer files do not allow all characters in names.
        name="$(basename "$file")"
        cp "$file" "$folder/variants/${name//[^A-Za-z0-9._-]/_}"
    done
fi
