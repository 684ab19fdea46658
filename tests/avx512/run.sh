#!/usr/bin/env bash
# Runs tests on an emulated processor with AVX-512, for machines that have none. Bochs emulates the
# processor and the devices. machine.S and machine.c replace the operating system.
#
# tests/avx512/run.sh [TEST...]       runs the named tests, or all of TESTS below
#
# Fails if a test fails, if no test runs, if the engine avx512x16 is missing, or if a program takes
# more than EMULATION_SECONDS. BOCHS_CPU selects another processor of `bochs -help cpu`. The default
# has AVX-512 F, BW, CD, DQ and VL, which the engine needs, but no later extension such as VBMI.
#
# Needs an x86-64 machine and the packages bochs, bochs-term, bsdutils, gcc,
# binutils and libc6-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Each entry: a file of tests/, and arguments that select some of its tests.
readonly TESTS=(
    # Leaves out the tests of threads, which the machine lacks, and those that compare engines: only
    # one engine is tested.
    "batches --skip threads --skip alike"
    "equal_bytes"
    "fft"
    "keys"
    "chacha20"
)
readonly ENGINES=avx512x16
readonly EMULATION_SECONDS="${EMULATION_SECONDS:-600}"
readonly BOCHS_CPU="${BOCHS_CPU:-corei7_skylake_x}"
# Bytes of a cylinder of the disk.
readonly CYLINDER=$((16 * 63 * 512))

# build_machine FILE: builds the ROM that the processor starts in.
build_machine() {
    local here=tests/avx512
    local options=(
        -m64 -O1 -Wall -Wextra -Werror -ffreestanding -nostdlib -static
        -fno-pic -no-pie -mcmodel=large -mno-red-zone -mgeneral-regs-only
        -fno-stack-protector -fcf-protection=none
        -Wl,--build-id=none,-n -T "$here/machine.ld"
    )
    gcc "${options[@]}" "$here/machine.S" "$here/machine.c" -o "$1.elf"
    objcopy -O binary -j .text -j .reset --gap-fill 0xff "$1.elf" "$1"
}

# build_test NAME: builds tests/NAME.rs as a static program and prints its path. Its dependencies
# are those of `cargo test -p falcon-tests`.
build_test() {
    cargo rustc --locked --quiet --message-format=json -p falcon-tests --test "$1" \
        -- -C target-feature=+crt-static |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}

# make_disk FILE PROGRAM ARGUMENT...: makes a disk in the layout of machine.c.
make_disk() {
    local disk="$1" program="$2" sectors bytes
    shift 2
    sectors=$((($(stat -c %s "$program") + 4096 + 511) / 512))
    printf '%s\n' "$sectors" test "$@" "" "FALCON_TEST_ENGINES=$ENGINES" "" >"$disk"
    truncate -s 4096 "$disk"
    cat "$program" >>"$disk"
    bytes=$(((sectors * 512 + CYLINDER - 1) / CYLINDER * CYLINDER))
    truncate -s "$bytes" "$disk"
}

# run_test FOLDER PROGRAM NAME ARGUMENT...: runs a program, with its output in FOLDER/NAME.txt.
run_test() {
    local rom="$1/rom" folder="$1/$3" output="$1/$3.txt"
    local program="$2" name="$3" start=$SECONDS failure=
    shift 3
    mkdir "$folder"
    make_disk "$folder/disk" "$program" --test-threads=1 --nocapture "$@"
    local disk="path=$folder/disk, mode=flat"
    disk+=", cylinders=$(($(stat -c %s "$folder/disk") / CYLINDER)), heads=16, spt=63"
    cat >"$folder/bochsrc" <<END
config_interface: textconfig
display_library: term
romimage: file=$rom
cpu: model=$BOCHS_CPU, count=1, ips=4000000, reset_on_triple_fault=0
megs: 512
ata0-master: type=disk, $disk
clock: sync=none
com1: enabled=1, mode=file, dev=$output
log: $folder/log
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
END
    # Debian's Bochs has a debugger, which waits for this command.
    echo c >"$folder/commands"
    : >"$output"
    # The text display needs a terminal. Bochs reports the machine's power-off as an error.
    TERM=vt100 timeout --kill-after=5 "$EMULATION_SECONDS" script -qec \
        "bochs -q -f '$folder/bochsrc' -rc '$folder/commands'" /dev/null \
        </dev/null >"$folder/screen" 2>&1 || true

    grep -q '^machine: exit 0$' "$output" || failure="did not end well"
    grep -Eq '^test result: ok\. [1-9]' "$output" || failure+="${failure:+, }no test passed"
    grep -q "engines: $ENGINES " "$output" || failure+="${failure:+, }engine $ENGINES is not there"
    if [ -n "$failure" ]; then
        {
            echo "FAILED  $name: $failure"
            tail -n 30 "$output"
            grep -a 'p\[' "$folder/log"
        } >&2 || true
        return 1
    fi
    echo "ok      $name $* ($((SECONDS - start)) s): $(sed -n 's/^test result: ok\. //p' "$output")"
}

main() {
    local entry name folder program words status=0 running=0 matched=
    folder="$(mktemp -d)"
    # shellcheck disable=SC2064 # expands now, to the folder
    trap "rm -rf '$folder'" EXIT
    for name in bochs script gcc objcopy strip; do
        command -v "$name" >/dev/null || { echo "$name is missing" >&2; exit 1; }
    done
    build_machine "$folder/rom"

    for entry in "${TESTS[@]}"; do
        read -ra words <<<"$entry"
        name="${words[0]}"
        if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then
            continue
        fi
        matched=yes
        program="$folder/$name.program"
        strip -o "$program" "$(build_test "$name")"
        # Runs one machine on each core while the next test is built.
        if [ "$running" -ge "$(nproc)" ]; then
            wait -n || status=1
            running=$((running - 1))
        fi
        run_test "$folder" "$program" "${words[@]}" &
        running=$((running + 1))
    done
    if [ -z "$matched" ]; then
        echo "no test is called: $*" >&2
        exit 1
    fi
    while [ "$running" -gt 0 ]; do
        wait -n || status=1
        running=$((running - 1))
    done
    exit "$status"
}

main "$@"
