#!/usr/bin/env bash
# Prints the profile of the core's operations: the instructions that each executes, by part of the
# work, and the number of butterflies and permutations. On one machine and toolchain it repeats
# exactly while the code of the core and of the program stays the same. A change elsewhere in the
# crate may move about one instruction in ten thousand from one part to another.
#
#   crates/falcon-hls-sim/profile.sh > crates/falcon-hls-sim/profile.tsv
#   crates/falcon-hls-sim/profile.sh x86-64 | armv7 | armv7-soft    rows of one target
#   crates/falcon-hls-sim/profile.sh --sources    the hash of what is counted, for the head
#   crates/falcon-hls-sim/profile.sh --check      fails if profile.tsv is out of date on x86-64
#
# armv7-soft computes binary64 with integer instructions.
#
# Executions of every instruction are counted: on x86-64 by Callgrind, on ARMv7 by the plugin of
# benches/qemu under QEMU's user mode. The compiler's debug information tells to which functions an
# instruction belongs, from the innermost inlined one to the one that has a symbol. So functions may
# be inlined, and the code is that of a release. An instruction counts for the first part
# (profile.awk) that contains one of its functions. If the compiler merged several instructions into
# one, it counts for the functions that they share.
#
# Butterflies cannot be counted in this way. The program does the same work once more with code that
# counts them (src/profile/count.rs), except those of key generation, which it does not reach. The
# number of permutations is the number of executions of the first instruction of their function.
#
# Needed: valgrind, binutils; for ARMv7 gcc, gcc-arm-linux-gnueabihf,
# libc6-dev-armhf-cross, qemu-user, and
# `rustup target add armv7-unknown-linux-gnueabihf`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly HERE=crates/falcon-hls-sim
readonly TARGET="${CARGO_TARGET_DIR:-target}/profile"
readonly ARM=armv7-unknown-linux-gnueabihf
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT

# Defines `need` and `build_plugin`.
source benches/qemu/common.sh

# build TRIPLE FLAGS: builds the program at fixed addresses, so that addresses in a run are those in
# the file. The profile `ct` is a release with debug information.
build() {
    RUSTFLAGS="-C relocation-model=static $2" cargo build --locked --quiet --profile ct \
        --target "$1" --target-dir "$TARGET" -p falcon-hls-sim --example profile
    program="$TARGET/$1/ct/examples/profile"
}

# symbol PREFIX NAME: prints the address of a function.
symbol() {
    local address
    address="$("$1nm" --demangle "$program" |
        sed -n "s/^0*\\([0-9a-f]*\\) . $2\\(::h[0-9a-f]*\\)\\?\$/0x\\1/p")"
    if [ -z "$address" ]; then
        echo "$2 has no symbol of its own" >&2
        exit 1
    fi
    echo "$address"
}

# count_x86_64 OPERATION DEGREE REPEATS TOKEN: writes the files `done` and `counts`.
count_x86_64() {
    valgrind --quiet --tool=callgrind --dump-instr=yes --dump-line=no --compress-pos=no \
        --compress-strings=no --collect-atstart=no --toggle-collect='profile::measured*' \
        --callgrind-out-file="$run/callgrind" "$program" "$@" >"$run/done"
    # The line after `calls=` is the cost of the call. It is already counted where it was spent.
    awk '/^ob=/ { own = /\/profile$/ }
        /^calls=/ { getline; next }
        /^0x/ { if (own) sum[$1] += $2; else library += $2 }
        END {
            for (a in sum) printf "%s %.0f\n", a, sum[a]
            printf "library %.0f\n", library
        }' "$run/callgrind" >"$run/counts"
}

# count_armv7 OPERATION DEGREE REPEATS TOKEN: the same. The program is static, so there is no other
# library.
count_armv7() {
    rm -f "$run/blocks"
    env -i "$(command -v qemu-arm)" -seed 1 -cpu cortex-a9 \
        -plugin "$run/plugin.so,mark=$mark,out=$run/marks,blocks=$run/blocks" \
        "$program" "$@" >"$run/done"
    awk '{ for (i = 0; i < $3; i++) sum[$2 + 4 * i] += $4 }
        END { for (a in sum) printf "0x%x %.0f\n", a, sum[a] }' "$run/blocks" >"$run/counts"
}

# rows PREFIX TARGET TOKEN: counts every operation and prints its rows.
rows() {
    local count degree operation start
    case "$2" in
    x86-64) count=x86_64 ;;
    *) count=armv7 ;;
    esac
    start="$(symbol "$1" falcon_keccak::single::permute_portably)"
    for degree in 512 1024; do
        for operation in keygen expand sign sign-expanded sign-hedged verify verify-encoded; do
            "count_$count" "$operation" "$degree" "${PROFILE_REPEATS:-100}" "$3"
            # awk needs this line if nothing was printed.
            echo "end" >>"$run/done"
            grep '^0x' "$run/counts" | cut -d' ' -f1 |
                "$1addr2line" -e "$program" -a -f -i -C >"$run/names"
            awk -v start="$start" \
                -v case="$2"$'\t'"$operation"$'\t'"$degree"$'\t'"${PROFILE_REPEATS:-100}" \
                -f "$HERE/profile.awk" \
                "$run/done" "$run/counts" "$run/names"
        done
    done
}

# sources: prints one hash of the counted code and of the code that counts it. Comment lines of Rust
# and blank lines are left out, because they change no instruction.
sources() {
    find crates/falcon-core/src crates/falcon-keccak/src crates/falcon-lanes/src \
        $HERE/examples/profile.rs $HERE/src/profile/workload.rs $HERE/profile.awk -type f |
        LC_ALL=C sort | LC_ALL=C xargs grep -aHv '^ *\(//.*\)\?$' | sha256sum | cut -d' ' -f1
}

# check: counts x86-64 again if the table was counted on other code. Fails if the instructions of a
# part differ by more than 1 % of the operation's, or if its butterflies differ.
check() {
    local table=$HERE/profile.tsv
    if [ "$(sed -n 's/^# Sources: //p' "$table")" = "$(sources)" ]; then
        echo "$table was counted on this code"
        return
    fi
    echo "$table was counted on other code: counting x86-64 again"
    "$0" x86-64 >"$run/again"
    awk -F'\t' '
        /^#/ || $1 == "target" { next }
        FNR == NR {
            count[$1, $2, $3, $5] = $6; executed[$1, $2, $3, $5] = $7; all[$1, $2, $3] += $6
            next
        }
        {
            rows++
            change = ($6 - count[$1, $2, $3, $5]) / all[$1, $2, $3]
            if (change > 0.01 || change < -0.01 || $7 != executed[$1, $2, $3, $5]) {
                printf "%s %s %s: %+.1f %% of the operation, %s executed, %s in the table\n",
                    $2, $3, $5, 100 * change, $7, executed[$1, $2, $3, $5]
                bad = 1
            }
        }
        END { exit bad || rows < 100 }' "$table" "$run/again" || {
        echo "$table is out of date: run $HERE/profile.sh >$table" >&2
        return 1
    }
}

case "${1:-}" in
--sources)
    sources
    exit
    ;;
--check)
    check
    exit
    ;;
esac

targets="${*:-x86-64 armv7 armv7-soft}"
for target in $targets; do
    case "$target" in
    x86-64)
        need "valgrind binutils" valgrind addr2line nm
        ;;
    armv7 | armv7-soft)
        need "gcc gcc-arm-linux-gnueabihf qemu-user" gcc arm-linux-gnueabihf-gcc \
            arm-linux-gnueabihf-addr2line arm-linux-gnueabihf-nm qemu-arm
        build_plugin "$run" qemu-arm
        ;;
    *)
        echo "usage: $0 [x86-64] [armv7] [armv7-soft]" >&2
        exit 2
        ;;
    esac
done

counted_with="$(valgrind --version 2>/dev/null || echo no Valgrind)"
counted_with+=", $(qemu-arm --version 2>/dev/null | sed -n '1s/ (.*//p')"
cat <<END
# Instructions that the operations of falcon-core execute, by part of the work; in
# the last column butterflies, or permutations (keccak-f). Sums of all repeats.
# Command: $HERE/profile.sh > $HERE/profile.tsv
# $(rustc --version), profile ct (release, fat LTO): the portable code on the
# baseline of x86-64, on ARMv7 with VFPv3-D16, and on ARMv7 with binary64 computed by
# integer instructions (armv7-soft). "library" is the C library, whose code depends on
# the processor. Counted with $counted_with.
# Origin: $(origin)
# Sources: $(sources)
END
printf 'target\toperation\tdegree\trepeats\tpart\tinstructions\texecuted\n'
for target in $targets; do
    case "$target" in
    x86-64)
        build x86_64-unknown-linux-gnu ""
        rows "" x86-64 scalar
        ;;
    armv7*)
        token=scalar
        [ "$target" = armv7 ] || token=soft
        export CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_LINKER=arm-linux-gnueabihf-gcc
        build "$ARM" "-C target-feature=+crt-static"
        mark="$(symbol arm-linux-gnueabihf- profile::mark)"
        rows arm-linux-gnueabihf- "$target" "$token"
        ;;
    esac
done
