#!/usr/bin/env bash
# Measures the cost of the README's program: seconds to build it, seconds to rebuild it after a
# change, and bytes of the stripped program. The program is a new crate outside the workspace, with
# cargo's default profiles. Fails if a limit is exceeded, or if a crate that signs compiles the
# arithmetic again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root="$PWD"

# Limit in hundredths of a second of processor time: the program's rebuild may take this much longer
# than that of a program that only draws random bytes. The fastest of REBUILDS builds counts for
# each, because other work only adds time. On a slower processor both take longer.
readonly REBUILD_BAR=35
readonly REBUILDS=9
# Limits in bytes, with the engines of x86-64 and without engines. The second program also contains
# the engine `soft`, which signs if the processor does not round to nearest.
readonly SIZE_BAR=955000
readonly PORTABLE_SIZE_BAR=880000

crate="$(mktemp -d)"
trap 'rm -rf "$crate"' EXIT
export CARGO_TARGET_DIR="$crate/target"
# The program contains paths of sources, for panic messages. Without this option their length would
# count.
export RUSTFLAGS="--remap-path-prefix=$root=/falcon \
--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
failures=0

# Extracts the first Rust program of the README.
mkdir "$crate/src"
awk '/^```rust/ { inside = 1; next } inside && /^```/ { exit } inside' README.md \
    >"$crate/src/main.rs"
grep -q 'fn main' "$crate/src/main.rs" || { echo "no program in README.md" >&2; exit 1; }
# Uses the same compiler and the same versions of the dependencies.
cp rust-toolchain.toml Cargo.lock "$crate"

# manifest OPTIONS: writes a manifest with these options of the dependency on falcon-core.
manifest() {
    cat >"$crate/Cargo.toml" <<END
[package]
name = "readme"
edition = "2024"

[dependencies]
falcon-core = { path = "$root/crates/falcon-core"$1 }
# The program that only draws random bytes calls it.
getrandom = "0.4"

[workspace]
END
}

# build: prints the wall time and the processor time of a build, in hundredths of a second.
build() {
    local TIMEFORMAT='%2R %2U %2S' times
    times=$({ time cargo build --release --quiet --manifest-path "$crate/Cargo.toml" \
        2>"$crate/log"; } 2>&1) || { cat "$crate/log" >&2; return 1; }
    awk '{ printf "%.0f %.0f\n", 100 * $1, 100 * ($2 + $3) }' <<<"$times"
}

# ranked COLUMN RANK: prints the figure of this rank in `rebuilds`; 1 is the fastest.
ranked() { cut -d' ' -f"$1" "$crate/rebuilds" | sort -n | sed -n "$2p"; }

# seconds HUNDREDTHS: formats a duration.
seconds() { printf '%d.%02d s' $(($1 / 100)) $(($1 % 100)); }

size() {
    strip -o "$crate/stripped" "$CARGO_TARGET_DIR/release/readme"
    stat -c %s "$crate/stripped"
}

# judge NAME FIGURE BAR TEXT: compares a figure with its limit.
judge() {
    printf '%-24s %s\n' "$1" "$4"
    if [ "$2" -ge "$3" ]; then
        echo "FAILED: $1 exceeds its bar" >&2
        failures=$((failures + 1))
    fi
}

manifest ', features = ["getrandom"]'
(cd "$crate" && cargo fetch --quiet)
read -r clock processor < <(build)
printf '%-24s %s\n' "first build" "$(seconds "$clock"), $(seconds "$processor") of the processor"
"$CARGO_TARGET_DIR/release/readme"

# rebuild FILE: writes the times of REBUILDS builds to FILE.
rebuild() {
    local i
    for ((i = 0; i < REBUILDS; i++)); do
        touch "$crate/src/main.rs"
        build
    done >"$1"
}

rebuild "$crate/rebuilds"
median=$((REBUILDS / 2 + 1))
clock="$(ranked 1 $median)" fastest="$(ranked 2 1)"
bytes="$(size)"
cp "$crate/src/main.rs" "$crate/readme.rs"
cat >"$crate/src/main.rs" <<'END'
fn main() {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("random bytes");
    println!("{bytes:?}");
}
END
rebuild "$crate/rebuilds"
alone="$(ranked 2 1)"
cp "$crate/readme.rs" "$crate/src/main.rs"
told="$(seconds "$clock") (median); of the processor $(seconds "$fastest"), "
told+="$(seconds $((fastest - alone))) more than random bytes alone (bar $(seconds "$REBUILD_BAR"))"
judge "build after a change" $((fastest - alone)) "$REBUILD_BAR" "$told"
judge "stripped program" "$bytes" "$SIZE_BAR" "$bytes bytes (bar $SIZE_BAR)"

manifest ', default-features = false, features = ["getrandom"]'
build >/dev/null
"$CARGO_TARGET_DIR/release/readme"
bytes="$(size)"
judge "without engines" "$bytes" "$PORTABLE_SIZE_BAR" "$bytes bytes (bar $PORTABLE_SIZE_BAR)"
# A function that is generic over the parameter set is compiled in the calling crate. A debug build
# does not optimise that crate, so signing would be twenty times slower. `thin.rs` calls the slow
# functions. Its object file must not contain code of an instruction set or of these modules.
cp tests/cost/thin.rs "$crate/src/main.rs"
manifest ', features = ["fndsa-provisional"]'
cargo rustc --quiet --manifest-path "$crate/Cargo.toml" -- --emit=obj
object="$(find "$CARGO_TARGET_DIR/debug/deps" -name 'readme*.o' -size +0 -printf '%T@ %p\n' |
    sort -n | tail -n 1 | cut -d' ' -f2)"
nm -C "$object" >"$crate/symbols"
grep -q 'falcon_core::fndsa_provisional' "$crate/symbols" || { echo "no symbols" >&2; exit 1; }
arithmetic='falcon_(x86|neon)::.*::frame|falcon_core::(ffsampling|fft|ntt|ring|sampler|signing)::'
again="$(grep -cE " [tTwW] .*($arithmetic)" "$crate/symbols" || true)"
judge "compiled again" "$again" 1 "$again functions of the arithmetic (none allowed)"
[ "$again" -eq 0 ] || grep -E " [tTwW] .*($arithmetic)" "$crate/symbols" | head -n 20 >&2
[ "$failures" -eq 0 ]
