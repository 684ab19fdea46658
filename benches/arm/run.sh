#!/usr/bin/env bash
# Instructions per operation on AArch64, ours and the peers', counted under
# QEMU's user mode. Counts repeat exactly; they are not times.
#
#   benches/arm/run.sh [--json] [--strict] [--engine NAME] [WORD...]
#       a row for each operation whose name contains all words, and the bars
#   benches/arm/run.sh profile [--engine NAME] [WORD...]
#       the same, then the functions (inlined ones apart) that ran, the 25 with
#       most instructions
#
# Needed: gcc, gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user (Debian's
# dynamic binary has plugins; qemu-user-static was not tried), and
# `rustup target add aarch64-unknown-linux-gnu`. Tried with QEMU 7.2.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly TARGET=aarch64-unknown-linux-gnu
readonly OUT="${CARGO_TARGET_DIR:-target}/arm"
# Fixed: the default processor changes with QEMU, and with it the C library's
# choice of memcpy.
readonly CPU=neoverse-n1

for tool in gcc aarch64-linux-gnu-gcc aarch64-linux-gnu-nm aarch64-linux-gnu-addr2line qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is missing; on Debian:" \
            "apt-get install gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2
        exit 2
    fi
done

profile=
if [ "${1:-}" = profile ]; then
    profile=yes
    shift
fi

mkdir -p "$OUT"
run="$(mktemp -d)"
readonly run
trap 'rm -rf "$run"' EXIT
version="$(qemu-aarch64 --version | sed -n '1s/.*version \([0-9]*\).*/\1/p')"
gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden \
    "-DAPI=$((version < 9 ? 1 : 2))" benches/arm/plugin.c -o "$OUT/plugin.so"

# Static, at fixed addresses: what runs is the program alone. Debug
# information names the inlined functions and changes no instruction.
CARGO_PROFILE_RELEASE_DEBUG=limited \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C target-feature=+crt-static -C relocation-model=static --cfg getrandom_backend=\"custom\"" \
    cargo build --locked --quiet --release --target "$TARGET" -p falcon-benches --bin count \
    --features seeded
readonly GUEST="${CARGO_TARGET_DIR:-target}/$TARGET/release/count"

mark="$(aarch64-linux-gnu-nm --demangle "$GUEST" | sed -n 's/^\([0-9a-f]*\) . count::mark\(::h[0-9a-f]*\)\?$/0x\1/p')"
if [ -z "$mark" ]; then
    echo "the guest has no symbol count::mark" >&2
    exit 1
fi

status=0
(
    # Environment and names lie on the guest's stack and move what is above them.
    cp "$OUT/plugin.so" "$GUEST" "$run"
    cd "$run"
    env -i "$(command -v qemu-aarch64)" -seed 1 -cpu "$CPU" \
        -plugin "./plugin.so,mark=$mark,out=counts${profile:+,blocks=blocks}" \
        ./count --counts counts "$@"
) || status=$?
[ -n "$profile" ] && [ "$status" -eq 0 ] || exit "$status"

# Blocks overlap: executions of each instruction first, then names. Additions,
# loads and the like are inlined everywhere and say nothing: what counts is the
# innermost function that is neither of the standard library nor an operation of
# lanes; a closure counts for the function that it stands in.
awk '{ for (i = 0; i < $2; i++) executed[$1 + 4 * i] += $3 }
    END { for (a in executed) printf "%x %d\n", a, executed[a] }' "$run/blocks" >"$run/executed"
cut -d' ' -f1 "$run/executed" |
    aarch64-linux-gnu-addr2line -e "$GUEST" -a -f -i -C >"$run/names"
awk 'FNR == NR { executed[$1] = $2; total += $2; next }
    function close_address() {
        if (name == "") name = innermost
        sums[name] += executed[address]
    }
    /^0x/ {
        if (address != "") close_address()
        address = $1; sub(/^0x0*/, "", address)
        name = innermost = ""; odd = 1; next
    }
    {
        if (odd) {
            if (innermost == "") innermost = $0
            candidate = $0
        } else if (name == "" && $0 !~ /\/(library\/(core|alloc|std)|falcon-core\/src\/lanes)\//) {
            sub(/:[0-9?]+( .*)?$/, ""); sub(/.*\/registry\/src\/[^\/]*\//, ""); sub(/.*\/crates\//, "")
            gsub(/::\{\{closure\}\}/, "", candidate)
            name = candidate "  " $0
        }
        odd = !odd
    }
    END {
        close_address()
        for (n in sums) printf "%.1f%% %d %s\n", 100 * sums[n] / total, sums[n], n
    }' "$run/executed" "$run/names" |
    sed 's/::h[0-9a-f]\{16\}//' | sort -k2,2nr >"$run/functions"
sed -n 1,25p "$run/functions"
