#!/usr/bin/env bash
# Compiles kernels/ to ptx/, and tabulates the registers and memory that the kernels use.
#
#   ptx.sh           writes ptx/*.ptx, ptx/*.cubin and ptx/resources.tsv, and the hashes
#                    of the sources and of these: ptx/sources.sha256, ptx/outputs.sha256
#   ptx.sh --check   compares them with what is there
#   ptx.sh --file IN OUT [OPTION]...
#                    compiles another file, such as benches/gpu/ceilings.cu, or
#                    kernels/kernels.cu with -DFALCON_SMALL=3
#   ptx.sh --variants FOLDER
# compiles one variant for each line of kernels/variants. A line has -D options without the -D; the
# file name is the line, with '-' for '=' and ' '
#
# Needs no GPU. The compiler comes from PyPI into a virtual environment of half a gigabyte, in
# FALCON_CUDA_VENV or the build folder. It is pinned, so that the same sources give the same text.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly PACKAGES=(
    nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
)
# The oldest device that the kernels are compiled for. Drivers compile them again for newer ones.
readonly TARGET=80
# The oldest PTX version that has all that the text needs: CUDA 11.0, drivers from 450 on.
readonly ISA=7.0
# Devices that the text is assembled for and that the table of resources covers: A100, RTX 4090,
# H100 and H200. src/lib.rs names the cubins.
readonly DEVICES=(80 89 90)
# Upper bound on the bytes of ptx/, all files together.
readonly MOST_BYTES=$((8 << 20))

# Files that the text depends on.
sources() {
    find kernels -name '*.h' -o -name '*.inc' -o -name '*.cu' | LC_ALL=C sort
}

# Finds the compiler, or installs it.
toolkit() {
    local venv="${FALCON_CUDA_VENV:-${CARGO_TARGET_DIR:-../../target}/cuda-13.0}" package
    if [ ! -x "$venv/bin/python" ]; then
        python3 -m venv "$venv" >&2
    fi
    for package in "${PACKAGES[@]}"; do
        if ! "$venv/bin/python" -c '
import sys
from importlib.metadata import version
name, wanted = sys.argv[1].split("==")
sys.exit(version(name) != wanted)' "$package" 2>/dev/null; then
            echo "installing the CUDA compiler" >&2
            "$venv/bin/python" -m pip install --quiet --no-deps "${PACKAGES[@]}" >&2
            break
        fi
    done
    "$venv/bin/python" -c '
import pathlib, sysconfig
print(pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia/cu13/bin")'
}

# nvcc_ptx IN OUT [OPTION]...
nvcc_ptx() {
    local in="$1" out="$2"
    shift 2
    # Every product and sum rounds by itself: no fused operations.
    "$bin/nvcc" -fmad=false -std=c++17 -O3 -arch="compute_$TARGET" -ptx -I kernels \
        "$@" "$in" -o "$out.all"
    # Removes comments with the compiler's build, a hint that older PTX does not have, and the path
    # of the file in the names of private items.
    sed -E -e '/^\/\//d' -e '/\.pragma "used_bytes_mask/d' \
        -e 's/_ZN[0-9]+_INTERNAL_[0-9a-zA-Z_]*_[0-9a-f]{8}6falcon/_ZN6falcon/g' \
        -e "s/^\.version .*/.version $ISA/" "$out.all" | cat -s >"$out"
    rm "$out.all"
}

# compile LOGN OUT: compiles the kernels of one degree. A driver compiles a file as a whole, and few
# programs need both degrees.
compile() {
    cat >"$2.cu" <<END
#include "kernels.h"
#undef FALCON_KERNELS
#define FALCON_KERNELS(X) FALCON_KERNELS_OF_ALL(X) FALCON_KERNELS_OF(X, $1)
#include "kernels.cu"
END
    nvcc_ptx "$2.cu" "$2"
    rm "$2.cu"
}

# assemble PTX DEVICE CUBIN: prints kernel, device, registers, stack, spills, shared memory. The
# cubin names the compiler and the device, but no path and no date: the same text gives the same
# bytes.
assemble() {
    "$bin/ptxas" -arch="sm_$2" -v "$1" -o "$3" 2>&1 | awk -v device="sm_$2" '
        /Compiling entry function/ { split($0, part, "\x27"); kernel = part[2] }
        /Function properties for/ { own = $NF == kernel }
        own && /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
        /Used [0-9]+ registers/ {
            match($0, /Used [0-9]+/); registers = substr($0, RSTART + 5, RLENGTH - 5)
            shared = 0
            if (match($0, /[0-9]+ bytes smem/)) {
                split(substr($0, RSTART, RLENGTH), part, " "); shared = part[1]
            }
            print kernel "\t" device "\t" registers "\t" stack "\t" stores + loads "\t" shared
        }' | LC_ALL=C sort
}

# generate FOLDER
generate() {
    local logn device
    for logn in 9 10; do
        compile "$logn" "$1/kernels_$logn.ptx"
    done
    {
        printf 'kernel\tdevice\tregisters\tstack\tspilled\tshared\n'
        for device in "${DEVICES[@]}"; do
            for logn in 9 10; do
                assemble "$1/kernels_$logn.ptx" "$device" "$1/kernels_$logn.sm_$device.cubin"
            done
        done
    } >"$1/resources.tsv"
    sources | xargs sha256sum >"$1/sources.sha256"
    # Without the compiler, only this list shows that the files are still what it made.
    (cd "$1" && LC_ALL=C sha256sum kernels_*.ptx kernels_*.cubin resources.tsv) >"$1/outputs.sha256"
}

# size FOLDER: fails if it has too many bytes.
size() {
    local bytes
    bytes="$(cat "$1"/* | wc -c)"
    if [ "$bytes" -gt "$MOST_BYTES" ]; then
        echo "ptx/ has $bytes bytes; at most $MOST_BYTES are allowed" >&2
        return 1
    fi
}

bin="$(toolkit)"
readonly bin
case "${1:-}" in
--check)
    fresh="$(mktemp -d)"
    trap 'rm -r "$fresh"' EXIT
    generate "$fresh"
    diff -rq "$fresh" ptx
    size ptx
    echo "ptx/ is what kernels/ is compiled to"
    ;;
--file)
    shift
    nvcc_ptx "$@"
    ;;
--variants)
    mkdir -p "$2"
    while read -ra variant; do
        name="${variant[*]}"
        nvcc_ptx kernels/kernels.cu "$2/${name//[= ]/-}.ptx" "${variant[@]/#/-D}"
    done <kernels/variants
    ;;
"")
    mkdir -p ptx
    rm -f ptx/*.cubin
    generate ptx
    size ptx
    ;;
*)
    echo "usage: ptx.sh [--check | --file IN OUT [OPTION]... | --variants FOLDER]" >&2
    exit 2
    ;;
esac
