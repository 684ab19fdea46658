#!/usr/bin/env bash
# Simulates a processor beside the FFT circuits, with programs of examples/firmware.
#
#   crates/falcon-hls-sim/system/run.sh              every program below
#   crates/falcon-hls-sim/system/run.sh PROGRAM...   only these
#
# system-fft transforms in software and on the circuits, system-sign signs in both ways. Each
# compares all bits and prints clocks. Fails if a program fails, if Verilator warns of one of our
# sources, or if a circuit takes other clocks than the simulator says.
#
# OPT_LEVEL=3 makes the software slower than s does, since it outgrows the instruction cache.
# Needed: verilator, make, g++, binutils, python3-venv, and the target
# riscv32imac-unknown-none-elf of rustup.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly HERE=crates/falcon-hls-sim/system TARGET=riscv32imac-unknown-none-elf
CARGO_TARGET_DIR="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
export CARGO_TARGET_DIR
out="$CARGO_TARGET_DIR/system"
readonly out
mkdir -p "$out"

# The processor, whose Verilog is in a Python package.
[ -x "$out/environment/bin/python" ] || python3 -m venv "$out/environment"
"$out/environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --require-hashes -r "$HERE/processor.txt"
processor="$("$out/environment/bin/python" -c \
    'import pythondata_cpu_vexriscv as package; print(package.data_location)')"

# The circuits. Both have a top module of the same name, so that of the inverse gets another one.
# Other modules are the same.
for transform in fft ifft; do
    cargo run --locked --quiet -p falcon-cli -- hls verilog --preset paper-optimized \
        --transform "$transform" --force -o "$out/$transform" >/dev/null
done
sed 's/^module falcon_fft /module falcon_ifft /' "$out/ifft/falcon_fft.v" >"$out/falcon_ifft.v"

# constant NAME TRANSFORM: a number in the testbench of a circuit.
constant() { sed -n "s/^ *localparam $1 = \([0-9]*\);$/\1/p" "$out/$2/falcon_fft_tb.sv"; }

awk -F'\t' '!/^(#|name)/ { printf "localparam [31:0] %s = 32'\''h%s;\n", $1, $2 }' \
    "$HERE/map.tsv" >"$out/map.vh"
verilator --cc --exe --build -Wall -O3 --x-assign fast --x-initial fast -CFLAGS -O2 \
    --Mdir "$out/simulation" --top-module falcon_system \
    "-GREAD_LATENCY=4'd$(constant READ_LATENCY fft)" "-I$out" -y "$HERE" -y "$out/fft" \
    "$HERE/processor.vlt" "$HERE/falcon_system.v" "$out/falcon_ifft.v" \
    "$processor/VexRiscv_IMAC.v" "$PWD/$HERE/system.cpp" >"$out/simulation.log" ||
    { cat "$out/simulation.log"; exit 1; }

# The processor lacks the AMO instructions, so the compiler uses pairs of LR and SC.
export CARGO_PROFILE_RELEASE_OPT_LEVEL="${OPT_LEVEL:-s}"
export CARGO_TARGET_RISCV32IMAC_UNKNOWN_NONE_ELF_RUSTFLAGS="-C target-feature=-a,+zalrsc"
[ "$#" -gt 0 ] || set -- system-fft system-sign
for program in "$@"; do
    echo "== $program"
    (cd examples/firmware && cargo build --locked --quiet --release --target "$TARGET" \
        --features system --bin "$program")
    objcopy -I elf32-little -O binary "$CARGO_TARGET_DIR/$TARGET/release/$program" \
        "$out/$program.bin"
    od -An -v -t x4 -w4 "$out/$program.bin" >"$out/$program.hex"
    "$out/simulation/Vfalcon_system" "+ram=$out/$program.hex" | tee "$out/$program.txt"
    [ "$program" = system-fft ] || continue
    for transform in fft ifft; do
        expected="${transform}_alone=$(constant CYCLES "$transform")"
        grep -qx "$expected" "$out/$program.txt" || {
            echo "the simulator says $expected" >&2
            exit 1
        }
    done
done
