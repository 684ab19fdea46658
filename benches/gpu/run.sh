#!/usr/bin/env bash
# Measures the engine on a GPU by one command: ceilings, whether the bytes are those of the CPU,
# how long batches take, and variants of the kernels. Needs a driver only.
#
#   run.sh [--out FOLDER] [--binary FILE] [--variants FOLDER] [--ncu REGEX] [OPTION]...
#
# Writes to FOLDER, by default a new one whose name is the time:
#   results.jsonl  one JSON object a line, each written as soon as it is known
#   table.md       the same as tables, written anew after each time
#   machine.txt    GPU, driver, clocks, CPU, date, and the commit of the program
#   ncu.txt        with --ncu: a profile of the first launch of a kernel whose name matches REGEX
#
#   --binary FILE      the program, by default the one beside this script; in a clone it is built
#   --variants FOLDER  kernels that were compiled otherwise, by default variants/ beside this script
#   --budget SECONDS   stop in time; the most valuable rows come first
#   --help             more OPTIONs: filters by operation, parameters, mode, keys, batch; and
#                      --images, --chunk, --streams
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="" binary="" variants="" ncu="" budget="" options=() invocation=("$0" "$@")

# usage: prints the comment at the beginning of this file.
usage() {
    while read -r line; do
        case "$line" in
        '#!'*) ;;
        '#'*) line="${line#\#}" && echo "${line# }" ;;
        *) break ;;
        esac
    done <"${BASH_SOURCE[0]}"
}

help=""
while [ $# -gt 0 ]; do
    case "$1" in
    --help | -h) help=yes && shift ;;
    --out=* | --binary=* | --variants=* | --ncu=* | --budget=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        ;;
    --out | --binary | --variants | --ncu | --budget)
        [ $# -ge 2 ] || { echo "$1 needs a value; see --help" >&2; exit 2; }
        case "$1" in
        --out) out="$2" ;;
        --binary) binary="$2" ;;
        --variants) variants="$2" ;;
        --ncu) ncu="$2" ;;
        --budget) budget="$2" ;;
        esac
        shift 2
        ;;
    *) options+=("$1") && shift ;;
    esac
done

if [ -z "$binary" ] && [ -x "$here/falcon-gpu-bench" ]; then
    binary="$here/falcon-gpu-bench"
elif [ -z "$binary" ]; then
    root="$here/../.."
    binary="${CARGO_TARGET_DIR:-$root/target}/release/falcon-gpu-bench"
    [ -n "$help" ] ||
        (cd "$root" && cargo build --locked --release -p falcon-gpu-bench --features cuda)
fi
if [ -n "$help" ]; then
    usage
    [ ! -x "$binary" ] || "$binary" --help
    exit
fi
if ! [ -f "$binary" ] || ! [ -x "$binary" ]; then
    echo "no program $binary; name it with --binary FILE" >&2
    exit 2
fi
[ -z "$variants" ] || [ -d "$variants" ] || { echo "no folder $variants" >&2; exit 2; }
if [ -n "$budget" ] && ! [[ $budget =~ ^[0-9]+$ ]]; then
    echo "--budget needs whole seconds, such as 540" >&2
    exit 2
fi
if [ -z "$variants" ] && [ -d "$here/variants" ]; then
    variants="$here/variants"
fi
# With a budget, `timeout` also ends a program whose kernel hangs.
watch=() limits=()
[ -z "$variants" ] || limits+=(--variants "$variants")
if [ -n "$budget" ]; then
    limits+=(--budget "$budget")
    if command -v timeout >/dev/null; then
        watch=(timeout --foreground --signal=KILL "$((10#$budget + 30))")
    fi
fi
out="${out:-$PWD/gpu-results-$(date -u +%Y%m%dT%H%M%SZ)}"
if [ -e "$out/results.jsonl" ]; then
    echo "$out has results already; name another folder with --out" >&2
    exit 2
fi
mkdir -p "$out"

# Adds the driver's folder in containers, and gives the driver a new cache for compiled kernels.
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/nvidia/lib64"
cache="$(mktemp -d)"
trap 'rm -rf "$cache"' EXIT
export CUDA_CACHE_PATH="$cache" CUDA_CACHE_MAXSIZE=1073741824

{
    date -u
    uname -srm
    grep -m 1 'model name' /proc/cpuinfo || true
    echo "CPUs: $(nproc 2>/dev/null || echo unknown)"
    if [ -f "$here/commit" ]; then
        cat "$here/commit"
    else
        git -C "$here" log -1 --format='commit %H %s' 2>/dev/null || echo "commit unknown"
    fi
    if command -v nvidia-smi >/dev/null; then
        fields=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit
        nvidia-smi --query-gpu="$fields" --format=csv || true
    else
        echo "no nvidia-smi"
    fi
    echo "command: ${invocation[*]}"
} >"$out/machine.txt" 2>&1

echo "results: $out/results.jsonl" >&2
status=0
"${watch[@]}" "$binary" --out "$out" "${limits[@]}" "${options[@]}" &
program=$!
# If this script is ended, it ends the program, which would otherwise keep the device busy.
trap 'kill -TERM "$program" 2>/dev/null; wait "$program"; exit 143' TERM INT HUP
wait "$program" || status=$?
trap - TERM INT HUP
if [ "$status" -eq 137 ]; then
    echo "killed 30 seconds after the budget: does a kernel hang? What was known is in $out" >&2
fi
if command -v nvidia-smi >/dev/null; then
    echo "clocks right after the run:" >>"$out/machine.txt"
    nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv >>"$out/machine.txt" 2>&1 || true
fi
if [ -n "$ncu" ]; then
    if command -v ncu >/dev/null; then
        # The profile has its own time limit, since the budget is spent.
        limit=()
        ! command -v timeout >/dev/null || limit=(timeout --foreground --signal=KILL 120)
        "${limit[@]}" ncu --set full --kernel-name "regex:$ncu" --launch-count 1 \
            "$binary" times --batch 65536 --runs 1 "${options[@]}" >"$out/ncu.txt" 2>&1 ||
            echo "ncu failed; see $out/ncu.txt" >&2
    else
        echo "no ncu on this machine" >"$out/ncu.txt"
    fi
fi
[ ! -f "$out/table.md" ] || cat "$out/table.md"
exit "$status"
