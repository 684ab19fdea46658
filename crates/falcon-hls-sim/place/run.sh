#!/usr/bin/env bash
# Places and routes the circuits for an ECP5 of 85k (LFE5U-85F, package CABGA756, speed grade 6).
#
#   crates/falcon-hls-sim/place/run.sh                     all that routed.tsv has
#   crates/falcon-hls-sim/place/run.sh CIRCUIT...          such as ii1-xor-512 or verifier-1024
#   crates/falcon-hls-sim/place/run.sh renew [CIRCUIT...]  writes the rows to routed.tsv
#   crates/falcon-hls-sim/place/run.sh sources             the hash in its head
#   crates/falcon-hls-sim/place/run.sh bitstream [DEGREE]  the verifier of 512 or 1024 for an ULX3S
#
# Yosys synthesizes, nextpnr places and routes for 100 MHz with seed 1. All ports are pins, which
# have no deadline: the clock counts paths between flip-flops, memories and multipliers only.
#
# Fails if a size differs from routed.tsv, if a clock differs by more than 2 %, or if that table
# belongs to other sources. The versions of the tools and the seed are fixed. Needed: python3-venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly HERE=crates/falcon-hls-sim/place
readonly TABLE=$HERE/routed.tsv VERIFIER=crates/falcon-hls-sim/verifier
readonly CIRCUITS=(paper-optimized-512 ii2-512 ii1-xor-512 paper-optimized-1024 ii2-1024
    ii1-xor-1024 keccak verifier-512 verifier-1024)
CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR
out="$CARGO_TARGET_DIR/place"
readonly out tools="$out/environment/bin"

# Defines `origin`.
source benches/qemu/common.sh

hls() { "$CARGO_TARGET_DIR/debug/falcon-cli" hls "$@"; }

# top CIRCUIT: name of the top module.
top() {
    case "$1" in
    keccak) echo falcon_keccak ;;
    verifier-*) echo falcon_verifier ;;
    *) echo falcon_fft ;;
    esac
}

# emit CIRCUIT: puts the Verilog of a circuit into the empty folder $out/CIRCUIT, and what the
# simulator says of it into model.json there.
emit() {
    rm -rf "${out:?}/$1"
    mkdir -p "$out/$1"
    case "$1" in
    keccak)
        hls keccak verilog -o "$out/$1" >/dev/null
        hls keccak --json >"$out/$1/model.json"
        ;;
    verifier-* | board)
        cp $VERIFIER/*.v $VERIFIER/zetas.hex crates/falcon-hls-sim/rtl/fp_delay.v "$out/$1"
        awk -F'\t' -v degree="${1##*-}" '$1 == degree { printf "{\"cycles\": %d}\n", $3 }' \
            $VERIFIER/cycles.tsv >"$out/$1/model.json"
        ;;
    *)
        hls verilog --preset "${1%-*}" --degree "${1##*-}" -o "$out/$1" >/dev/null
        hls run --preset "${1%-*}" --degree "${1##*-}" --json >"$out/$1/model.json"
        ;;
    esac
}

# sources: prints one hash of the Verilog of all circuits, of the tools and of how they are called.
# Comment lines and blank lines are left out.
sources() {
    {
        (cd "$out" && find "${CIRCUITS[@]}" -name '*.v' -o -name zetas.hex | LC_ALL=C sort |
            LC_ALL=C xargs grep -aHv '^ *\(//.*\)\?$')
        cat $HERE/tools.txt
        sed -n '/^\(route\|measure\)()/,/^}/p' $HERE/run.sh
    } | sha256sum | cut -d' ' -f1
}

# tool NAME ARGUMENT...: runs a tool. Prints what it says only if it fails.
tool() { "$tools/yowasp-$1" "${@:2}" >printed 2>&1 || { tail -n 20 printed >&2; exit 1; }; }

# route MODULE PARAMETERS OPTION...: synthesizes, places and routes a module of this folder with
# parameters in the form of yosys and options of nextpnr.
route() {
    # The result of yosys depends on the names of files, so those have no folders.
    printf '%s\n' "read_verilog $1.v" "hierarchy -check -top $1 $2 -libdir ." \
        "synth_ecp5 -json netlist.json" >synthesis.ys
    tool yosys -q -l yosys.log -s synthesis.ys
    tool nextpnr-ecp5 -q -l nextpnr.log --85k --speed 6 --seed 1 --json netlist.json \
        --report report.json "${@:3}"
}

# measure CIRCUIT: routes a circuit of the table.
measure() {
    local parameters=
    case "$1" in
    verifier-512) parameters='-chparam LOGN 9' ;;
    verifier-1024) parameters='-chparam LOGN 10' ;;
    esac
    (
        cd "$out/$1"
        route "$(top "$1")" "$parameters" --package CABGA756 --lpf-allow-unconstrained --freq 100 \
            --timing-allow-fail
    )
}

# bitstream DEGREE: writes a file that configures the board.
bitstream() {
    local logn file="$out/board/falcon-verifier-$1.bit"
    case "$1" in
    512) logn=9 ;;
    1024) logn=10 ;;
    *)
        echo "no verifier of degree $1" >&2
        exit 2
        ;;
    esac
    emit board
    cp $HERE/board.v $HERE/board.lpf "$out/board"
    (
        cd "$out/board"
        route board "-chparam LOGN $logn" --package CABGA381 --lpf board.lpf --textcfg board.config
        tool ecppack --compress board.config "$(basename "$file")"
    )
    echo "$file: $(stat -c %s "$file") bytes"
}

# row CIRCUIT: prints the row of the table.
row() {
    "$tools/python" - "$1" "$out/$1" <<'END'
import json, sys

circuit, folder = sys.argv[1:]
with open(folder + "/report.json") as file:
    report = json.load(file)
with open(folder + "/model.json") as file:
    model = json.load(file)
estimate = {}
if circuit == "keccak":
    model = next(row for row in model["rows"] if row["name"] == "keccak-round-per-cycle")
    clocks, estimate = model["cycles"]["permute"], model["resources"]["mapped"]
else:
    clocks = model["cycles"]
    if "resources" in model:
        estimate = model["resources"]["estimate"]
((name, clock),) = report["fmax"].items()
mhz = clock["achieved"]
# The path that bounds the clock: its wires, and the register at its end.
inside = "posedge " + name
(path,) = (p["path"] for p in report["critical_paths"] if p["from"] == p["to"] == inside)
wires = sum(step["delay"] for step in path if step["type"] == "routing")
end = path[-1]["to"]["cell"].split("_TRELLIS")[0]
cells = ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD")
used = [report["utilization"][cell]["used"] for cell in cells]
model = [estimate.get(name, "-") for name in ("lut", "ff", "dsp", "bram")]
times = (f"{clocks / mhz:.2f}", f"{wires:.1f}")
print(circuit, f"{mhz:.1f}", *used, clocks, *times, end, *model, sep="\t")
END
}

# install_tools: puts the tools into an environment of Python.
install_tools() {
    [ -x "$tools/python" ] || python3 -m venv "$out/environment"
    "$tools/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
        -r $HERE/tools.txt
}

renew=
mkdir -p "$out"
case "${1:-}" in
bitstream)
    install_tools
    bitstream "${2:-512}"
    exit
    ;;
renew)
    renew=yes
    shift
    ;;
esac
wanted=("$@")
if [ $# -eq 0 ] && [ -n "$renew" ]; then
    wanted=("${CIRCUITS[@]}")
elif [ $# -eq 0 ]; then
    mapfile -t wanted < <(awk -F'\t' '!/^(#|circuit)/ { print $1 }' $TABLE)
fi
for circuit in "${wanted[@]}"; do
    [[ " ${CIRCUITS[*]} sources " = *" $circuit "* ]] || {
        echo "no circuit $circuit; there are: ${CIRCUITS[*]}" >&2
        exit 2
    }
done
cargo build --locked --quiet -p falcon-cli
for circuit in "${CIRCUITS[@]}"; do emit "$circuit"; done
if [ "${1:-}" = sources ]; then
    sources
    exit
fi
install_tools

current="$(sources)"
is_current() { [ -f $TABLE ] && [ "$(sed -n 's/^# Sources: //p' $TABLE)" = "$current" ]; }
if [ -n "$renew" ] && [ $# -gt 0 ] && [ -f $TABLE ] && ! is_current; then
    echo "the rows of other circuits belong to other sources: run $HERE/run.sh renew" >&2
    exit 1
fi

# write: puts the measured rows into the table. Other rows stay if they belong to the same sources.
write() {
    : >"$out/others"
    ! is_current || awk -F'\t' 'FNR == NR { measured[$1]; next }
        !/^(#|circuit)/ && !($1 in measured)' "$out/rows" $TABLE >"$out/others"
    {
        cat <<END
# Circuits on an ECP5 of 85k, placed and routed: clock, cells, clocks of an operation and its
# microseconds at this clock. Of the longest path: nanoseconds of its wires, and the register at its
# end. Columns model_*: the simulator's estimates for a Xilinx 7.
# Command: $HERE/run.sh renew
# Origin: $(origin)
# Sources: $current
END
        printf 'circuit\tmhz\tlut\tff\tmult18\tdp16k\tclocks\tmicros\twires_ns\tend'
        printf '\tmodel_%s' lut ff dsp bram18
        echo
        for circuit in "${CIRCUITS[@]}"; do
            awk -F'\t' -v circuit="$circuit" '$1 == circuit' "$out/rows" "$out/others"
        done
    } >"$out/table"
    cp "$out/table" $TABLE
}

: >"$out/rows"
for circuit in "${wanted[@]}"; do
    echo "== $circuit"
    measure "$circuit"
    row "$circuit" | tee -a "$out/rows"
    # A run that is interrupted keeps the rows that it has.
    [ -z "$renew" ] || write
done
[ -z "$renew" ] || exit 0

awk -F'\t' '
    /^(#|circuit)/ { next }
    FNR == NR { for (i = 2; i <= 14; i++) known[$1, i] = $i; next }
    {
        for (i = 2; i <= 14; i++) {
            there = known[$1, i]
            # With a clock that differs a little, another path can be the longest.
            if (i == 9 || i == 10) continue
            if (i == 2 || i == 8) same = there != "" && ($i - there) ^ 2 <= ($i / 50) ^ 2
            else same = there "" == $i ""
            if (!same) {
                printf "%s: column %d is %s, and %s in the table\n", $1, i, $i, there
                bad = 1
            }
        }
    }
    END { exit bad }' $TABLE "$out/rows" || {
    echo "$TABLE is out of date: run $HERE/run.sh renew" >&2
    exit 1
}
is_current || {
    echo "$TABLE belongs to other sources: run $HERE/run.sh renew" >&2
    exit 1
}
