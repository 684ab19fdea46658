#!/usr/bin/env bash
# Everything that is to be known of a GPU, by one command: what it can do at most,
# whether 100,000 signatures of every size and mode have the bytes of the
# processor, and how long batches take.
#
#   benches/gpu/run.sh [--out FOLDER] [--binary FILE] [OPTION]...
#
# Needs a driver and the program, which is built if there is a Rust toolchain:
#   cargo build --release -p falcon-gpu-bench --features cuda
# Where there is nvcc, variants of the kernels are timed as well. OPTIONs are the
# program's: --ptx FILE, --jobs N, --largest N, --runs N, --device N.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
out="$PWD/gpu-results" binary="" options=()
while [ $# -gt 0 ]; do
    case "$1" in
    --out) out="$2" && shift 2 ;;
    --binary) binary="$2" && shift 2 ;;
    *) options+=("$1") && shift ;;
    esac
done
mkdir -p "$out"

if [ -z "$binary" ]; then
    binary="${CARGO_TARGET_DIR:-$root/target}/release/falcon-gpu-bench"
    if command -v cargo >/dev/null; then
        (cd "$root" && cargo build --locked --release -p falcon-gpu-bench --features cuda)
    fi
fi
[ -x "$binary" ] || { echo "no program $binary" >&2; exit 2; }

{
    date -u
    uname -srm
    git -C "$root" log -1 --format='%H %s' 2>/dev/null || true
    nvidia-smi 2>/dev/null || echo "no nvidia-smi"
} >"$out/machine.txt"

echo "ceilings, bytes and times: $out/results.jsonl" >&2
"$binary" --table "$out/table.md" "${options[@]}" | tee "$out/results.jsonl"

if command -v nvcc >/dev/null; then
    # The same bytes from kernels compiled otherwise: which is fastest here?
    for variant in FALCON_BLOCKS=2 FALCON_BLOCKS=3 FALCON_BLOCKS=6 FALCON_DEPTH_FIRST FALCON_CONFLICT_FREE FALCON_SMALL=3 FALCON_STEAL=3; do
        ptx="$out/$variant.ptx"
        nvcc -fmad=false -std=c++17 -O3 -arch=compute_80 -ptx -D"$variant" \
            "$root/crates/falcon-gpu/kernels/kernels.cu" -o "$ptx"
        echo "variant $variant: $out/$variant.jsonl" >&2
        "$binary" compare times --jobs 10000 --largest 65536 --runs 5 --ptx "$ptx" >"$out/$variant.jsonl"
    done
fi
[ ! -f "$out/table.md" ] || cat "$out/table.md"
