#!/usr/bin/env bash
# Everything that is to be known of a GPU, by one command: what it can do at most,
# whether 100,000 signatures of every size and mode have the bytes of the
# processor (4096 with a warp for each), and how long batches take.
#
#   benches/gpu/run.sh [--out FOLDER] [--binary FILE] [--variants FOLDER] [OPTION]...
#
# Results come to FOLDER, or to a new one that is called by the time; none is overwritten.
#
# Needs a driver and the program, which is built if there is a Rust toolchain:
#   cargo build --release -p falcon-gpu-bench --features cuda
# Variants of the kernels are timed as well: those that were compiled before, by
#   crates/falcon-gpu/ptx.sh --variants FOLDER
# which needs no GPU; or, where there is nvcc, the same ones compiled here. OPTIONs are
# the program's: --ptx FILE, --jobs N, --largest N, --runs N, --device N,
# --grain thread|warp, --chunk N, --streams N.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
out="" binary="" variants="" kernels=() options=()

# usage: what stands at the beginning of this file.
usage() { sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "${BASH_SOURCE[0]}"; }

while [ $# -gt 0 ]; do
    case "$1" in
    --help | -h) usage && exit ;;
    --out | --binary | --variants | --ptx)
        [ $# -ge 2 ] || { echo "$1 needs a value; see --help" >&2; exit 2; }
        case "$1" in
        --out) out="$2" ;;
        --binary) binary="$2" ;;
        --variants) variants="$2" ;;
        --ptx) kernels+=(--ptx "$2") ;;
        esac
        shift 2
        ;;
    *) options+=("$1") && shift ;;
    esac
done
out="${out:-$PWD/gpu-results-$(date -u +%Y%m%dT%H%M%SZ)}"
if [ -e "$out/results.jsonl" ]; then
    echo "$out has results already: name another folder with --out" >&2
    exit 2
fi

if [ -z "$binary" ]; then
    binary="${CARGO_TARGET_DIR:-$root/target}/release/falcon-gpu-bench"
    if command -v cargo >/dev/null; then
        (cd "$root" && cargo build --locked --release -p falcon-gpu-bench --features cuda)
    fi
fi
[ -x "$binary" ] || { echo "no program $binary" >&2; exit 2; }

mkdir -p "$out"
# Results have their name when they are whole.
measure() {
    local name="$1"
    shift
    "$binary" "$@" | tee "$out/$name.part" && mv "$out/$name.part" "$out/$name"
}

{
    date -u
    uname -srm
    git -C "$root" log -1 --format='%H %s' 2>/dev/null || true
    nvidia-smi 2>/dev/null || echo "no nvidia-smi"
} >"$out/machine.txt"

echo "ceilings, bytes and times: $out/results.jsonl" >&2
measure results.jsonl --table "$out/table.md" "${kernels[@]}" "${options[@]}"

# The same bytes from kernels compiled otherwise: which is fastest here? One that this
# driver or compiler does not take is said, and the others go on.
if [ -z "$variants" ] && command -v nvcc >/dev/null; then
    variants="$out/variants"
    mkdir -p "$variants"
    while read -ra variant; do
        name="${variant[*]}"
        nvcc -fmad=false -std=c++17 -O3 -arch=compute_80 -ptx "${variant[@]/#/-D}" \
            "$root/crates/falcon-gpu/kernels/kernels.cu" -o "$variants/${name// /+}.ptx" ||
            echo "variant $name: not compiled" >&2
    done <"$root/crates/falcon-gpu/kernels/variants"
fi
for ptx in ${variants:+"$variants"/*.ptx}; do
    name="$(basename "$ptx" .ptx)"
    echo "variant $name: $out/$name.jsonl" >&2
    measure "$name.jsonl" compare times --jobs 10000 --largest 65536 --runs 5 "${options[@]}" \
        --ptx "$ptx" >/dev/null || echo "variant $name: failed" >&2
done
[ ! -f "$out/table.md" ] || cat "$out/table.md"
