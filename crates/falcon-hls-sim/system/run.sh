#!/usr/bin/env bash
# Simulates a processor beside a floating-point unit and the circuits of the FFT and of Keccak-f,
# with the program `system` of examples/firmware.
#
#   crates/falcon-hls-sim/system/run.sh                            all that operations.tsv has
#   crates/falcon-hls-sim/system/run.sh OPERATION DEGREE...        degrees 256, 512, 1024
#   crates/falcon-hls-sim/system/run.sh renew OPERATION DEGREE...  writes the rows to operations.tsv
#   crates/falcon-hls-sim/system/run.sh sources                    the hash in its head
#
# OPERATION is `fft`, `verify`, `sign`, `keygen` or, for all of them, `all`.
# `fft` transforms in software, with the unit and on the circuits. `verify`, `sign` and `keygen` run
# in software and with Keccak-f on its circuit; `sign` also with the unit, with the FFT on its
# circuits, and with several of these. All bytes are compared with those of the host. The circuits
# have the processor's clock (ratio 1:1), or 3 clocks in 20 of the processor's (20:3); RATIOS="1:1"
# chooses. Programs without a circuit take the same clocks at each ratio, and run at 1:1 only.
# Signatures take long to simulate, so at 20:3 they run only with several of these parts.
#
# Fails if a byte differs, if Verilator warns of one of our sources, if an FFT circuit takes other
# clocks than the simulator says, or if an operation takes other clocks than operations.tsv says or
# that table belongs to other sources. The program has the same bytes in every folder (rustc.sh), so
# no other clocks are allowed.
#
# OPT_LEVEL=3 makes the software slower than s does, since it outgrows the instruction cache. JOBS
# simulations run at a time, one for each core by default.
# Needed: verilator, make, g++, binutils, python3-venv, and the target
# riscv32imac-unknown-none-elf of rustup.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly HERE=crates/falcon-hls-sim/system TARGET=riscv32imac-unknown-none-elf
readonly TABLE=$HERE/operations.tsv
CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR
out="$CARGO_TARGET_DIR/system"
readonly out
mkdir -p "$out/include"

if [[ "$PWD$out" = *' '* ]]; then
    echo "Verilator cannot build in a folder with a blank in its name: $PWD, $out" >&2
    exit 2
fi

# Defines `origin`.
source benches/qemu/common.sh

# compiled: lists the Rust files of this repository that both forms of the program are made from.
compiled() {
    sed 's/^[^:]*: *//; s/ /\n/g' "$out"/*.d | sed -n "s|^$PWD/\(.*\.rs\)$|\1|p"
}

# sources: prints one hash of the programs, of the circuits and of what builds them, which must have
# been built. Comment lines and blank lines are left out.
sources() {
    {
        compiled
        find crates/falcon-hls-sim/src/{verilog,keccak} \
            crates/falcon-hls-sim/src/{verilog,keccak,design,schedule}.rs \
            crates/falcon-hls-sim/rtl/*.v $HERE/*.{v,cpp,sh,txt} $HERE/map.tsv \
            examples/firmware/{keccak,build.rs,Cargo.toml,Cargo.lock,memory/system.x} \
            rust-toolchain.toml -type f -not -path '*/target/*'
    } | LC_ALL=C sort -u | LC_ALL=C xargs grep -aHv '^ *\(//.*\|#.*\)\?$' | sha256sum |
        cut -d' ' -f1
}

# What the program can do, in the order of the list in src/bin/system.rs: an operation, and what it
# uses for it.
readonly PROGRAMS=(fft verify keygen sign 'sign fft' 'sign fpu' 'sign fft fpu')
readonly RATIOS="${RATIOS:-1:1 20:3}"
renew=
case "${1:-}" in
renew)
    renew=yes
    shift
    ;;
esac
operation="${1:-}"
case "$operation" in
'')
    mapfile -t runs < <(awk -F'\t' '
        !/^(#|degree)/ { sub(/-.*|^i/, "", $2); print $1, $2 }' $TABLE)
    ;;
sources) runs=() ;;
fft | verify | sign | keygen | all) runs=("${@:2}") && runs=("${runs[@]/%/ $operation}") ;;
*)
    echo "no operation $operation" >&2
    exit 2
    ;;
esac
mapfile -t degrees < <(printf '%s\n' "${runs[@]% *}" | sort -nu)

# firmware FORM: builds the program with Keccak-f in `software`, or on the circuit, `keccak`.
firmware() {
    # The processor lacks the AMO instructions, so the compiler uses pairs of LR and SC.
    local flags='-C target-feature=-a,+zalrsc' options=()
    # Messages of panics name source files, whose paths would move the data.
    flags+=" --remap-path-prefix=$PWD=falcon --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    if [ "$1" = keccak ]; then
        flags+=' --cfg falcon_keccak="small"'
        options=(--config "paths=['$PWD/examples/firmware/keccak']")
    fi
    (
        cd examples/firmware
        RUSTC_WRAPPER="$PWD/../../$HERE/rustc.sh" \
            CARGO_PROFILE_RELEASE_OPT_LEVEL="${OPT_LEVEL:-s}" \
            CARGO_TARGET_RISCV32IMAC_UNKNOWN_NONE_ELF_RUSTFLAGS="$flags" \
            cargo build --locked --quiet --release --target "$TARGET" --features system \
            --bin system "${options[@]}"
    )
    objcopy -I elf32-little -O binary "$CARGO_TARGET_DIR/$TARGET/release/system" "$out/program"
    od -An -v -t x4 -w4 "$out/program" >"$out/$1.hex"
    cp "$CARGO_TARGET_DIR/$TARGET/release/system.d" "$out/$1.d"
}

for form in software keccak; do firmware "$form"; done
if [ "$operation" = sources ]; then
    sources
    exit
fi

# The processor, whose Verilog is in a Python package.
[ -x "$out/environment/bin/python" ] || python3 -m venv "$out/environment"
"$out/environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --require-hashes -r "$HERE/processor.txt"
processor="$("$out/environment/bin/python" -c \
    'import pythondata_cpu_vexriscv as package; print(package.data_location)')"

emit() { cargo run --locked --quiet -p falcon-cli -- hls "$@" --force >/dev/null; }

# constant NAME TRANSFORM DEGREE: a number in the testbench of a circuit.
constant() { sed -n "s/^ *localparam $1 = \([0-9]*\);$/\1/p" "$out/$2$3/falcon_fft_tb.sv"; }

# circuits DEGREE: emits the circuits of one degree.
circuits() {
    local degree="$1" transform
    # Both FFT circuits have a top module of the same name, so that of the inverse gets another one.
    # Other modules are the same.
    for transform in fft ifft; do
        emit verilog --preset paper-optimized --degree "$degree" --transform "$transform" \
            -o "$out/$transform$degree"
    done
    sed 's/^module falcon_fft /module falcon_ifft /' "$out/ifft$degree/falcon_fft.v" \
        >"$out/fft$degree/falcon_ifft.v"
}

# simulation DEGREE RATIO: builds the system with the circuits of one degree.
simulation() {
    local degree="$1" ratio="$2" logn=0
    while [ $((1 << logn)) -lt "$degree" ]; do logn=$((logn + 1)); done
    local folder="$out/simulation$degree-${ratio/:/-}" inputs
    inputs="$(sha256sum "$HERE"/*.{v,vlt,cpp,sh} "$out/include/map.vh" "$out/fft$degree"/*.{v,sv} \
        "$out"/keccak/*.v "$processor/VexRiscv_IMAC.v" "$(command -v verilator)")"
    [ "$inputs" != "$(cat "$folder/inputs" 2>/dev/null)" ] || return 0
    # What an earlier build left may name files of another clone.
    rm -rf "$folder"
    verilator --cc --exe --build -Wall -O3 --x-assign fast --x-initial fast \
        -MAKEFLAGS 'OPT_FAST=-O2' --Mdir "$folder" --top-module falcon_system \
        "-GLOGN=$logn" "-GREAD_LATENCY=4'd$(constant READ_LATENCY fft "$degree")" \
        "-GCLOCKS=8'd${ratio%:*}" "-GCIRCUIT_CLOCKS=8'd${ratio#*:}" "-I$out/include" \
        -y "$HERE" -y "$out/fft$degree" -y "$out/keccak" "$HERE/processor.vlt" \
        "$HERE/falcon_system.v" "$processor/VexRiscv_IMAC.v" "$PWD/$HERE/system.cpp" \
        >"$out/simulation.log" || { cat "$out/simulation.log"; exit 1; }
    echo "$inputs" >"$folder/inputs"
}

awk -F'\t' '!/^(#|name)/ { printf "localparam [31:0] %s = 32'\''h%s;\n", $1, $2 }' \
    "$HERE/map.tsv" >"$out/include/map.vh"
emit keccak verilog -o "$out/keccak"

# at_slow_clock PROGRAM FORM: true if the program is to run with a slower clock of the circuits.
at_slow_clock() {
    case "$1" in
    sign) false ;;
    sign*fft*) [[ "$1 $2" =~ fpu|keccak ]] ;;
    *) [ "$2" = keccak ] || [ "$1" = fft ] ;;
    esac
}

# jobs: prints the simulations to run: degree, ratio, number of the program, Keccak-f.
jobs() {
    local run degree operation ratio number form program
    for run in "${runs[@]}"; do
        read -r degree operation <<<"$run"
        for ratio in $RATIOS; do
            for number in "${!PROGRAMS[@]}"; do
                program="${PROGRAMS[number]}"
                # The transforms take little time, and show that the circuits are right.
                [[ "$operation" = all || "$program" = fft || "${program%% *}" = "$operation" ]] ||
                    continue
                for form in software keccak; do
                    # Keccak-f has no part in the transforms.
                    [ "$program $form" != "fft keccak" ] || continue
                    [ "$ratio" = 1:1 ] || at_slow_clock "$program" "$form" || continue
                    echo "$degree $ratio $number $form"
                done
            done
        done
    done | sort -u
}

# simulate DEGREE RATIO NUMBER FORM: runs a program. Its rows get the ratio.
simulate() {
    local degree="$1" ratio="$2" number="$3" form="$4" transform expected
    local printed="$out/printed/$degree-${ratio/:/-}-$number-$form"
    "$out/simulation$degree-${ratio/:/-}/Vfalcon_system" "+ram=$out/$form.hex" "+argument=$number" \
        >"$printed" || { cat "$printed" && return 255; }
    echo "== degree $degree, $ratio, ${PROGRAMS[number]}, Keccak-f: $form"
    cat "$printed"
    if [ "${PROGRAMS[number]}" = fft ]; then
        for transform in fft ifft; do
            expected="${transform}_alone=$(constant CYCLES "$transform" "$degree")"
            grep -qx "$expected" "$printed" || {
                echo "the simulator says $expected" >&2
                return 255
            }
        done
    fi
    awk -F'\t' -v OFS='\t' -v ratio="$ratio" '
        /^[0-9]+\t/ && (ratio == "1:1" || $5 + $8) { $3 = $3 OFS ratio; print; rows++ }
        END { exit !rows }' "$printed" >"$printed.rows" || return 255
}

for degree in "${degrees[@]}"; do
    circuits "$degree"
    for ratio in $RATIOS; do simulation "$degree" "$ratio"; done
done

rm -rf "$out/printed"
mkdir "$out/printed"
export out PROGRAMS_LIST="${PROGRAMS[*]@Q}"
export -f simulate constant
jobs | xargs -P "${JOBS:-$(nproc)}" -I{} \
    bash -euo pipefail -c "PROGRAMS=($PROGRAMS_LIST); simulate {}"
find "$out/printed" -name '*.rows' -exec cat {} + >"$out/rows"
: >"$out/others"

current="$(sources)"
is_current() { [ "$(sed -n 's/^# Sources: //p' "$TABLE")" = "$current" ]; }
if [ -n "$renew" ]; then
    # Other rows stay if they belong to the same sources.
    ! is_current || awk -F'\t' '
        FNR == NR { measured[$1, $2, $3, $4]; next }
        /^[0-9]/ && !(($1, $2, $3, $4) in measured)' "$out/rows" "$TABLE" >"$out/others"
    {
        cat <<END
# Clocks of the processor for operations on the simulated system. Column ratio: clocks of the
# processor to clocks of the circuits. Columns fft_* and keccak_*: runs of circuits, and clocks in
# which the processor moved their data and waited for their results. Column fpu_operations: sums,
# differences and products of the floating-point unit.
# Command: $HERE/run.sh renew, $(verilator --version | cut -d' ' -f1,2)
# Origin: $(origin)
# Sources: $current
END
        printf 'degree\toperation\tform\tratio\tclocks'
        printf '\t%s_runs\t%s_moved\t%s_waited' fft fft fft keccak keccak keccak
        printf '\tfpu_operations\n'
        sort -k2,2 -k1,1n -k4,4 -k5,5nr "$out/rows" "$out/others"
    } >"$out/table"
    mv "$out/table" "$TABLE"
    exit
fi
awk -F'\t' '
    /^#/ || $1 == "degree" { next }
    { row = $1 " " $2 " " $3 " " $4 }
    FNR == NR { for (i = 5; i <= NF; i++) known[row, i] = $i; next }
    {
        for (i = 5; i <= 12; i++)
            if (!((row, i) in known) || $i != known[row, i]) {
                printf "%s: column %d is %s, and %s in the table\n", row, i, $i, known[row, i]
                bad = 1
            }
    }
    END { exit bad }' "$TABLE" "$out/rows" || {
    echo "$TABLE is out of date: run $HERE/run.sh renew" >&2
    exit 1
}
is_current || {
    echo "$TABLE belongs to other sources: run $HERE/run.sh renew" >&2
    exit 1
}
