# Builds the program `count` for AArch64 and QEMU's plugin, and runs the program under QEMU. Sourced
# by the other scripts of this folder, in the root of the repository.
#
# Needed: gcc, gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user (Debian's
# dynamic binary has plugins; qemu-user-static was not tried), and
# `rustup target add aarch64-unknown-linux-gnu`. Tried with QEMU 7.2.

readonly TARGET=aarch64-unknown-linux-gnu
readonly OUT="${CARGO_TARGET_DIR:-target}/arm"
readonly GUEST="${CARGO_TARGET_DIR:-target}/$TARGET/release/count"
# Fixed, since QEMU's default processor changes from version to version, and the C library chooses
# memcpy by processor. `COUNT_CPU=max,sve=off` has the SHA-3 instructions.
readonly CPU="${COUNT_CPU:-neoverse-n1}"

source benches/qemu/common.sh

# build_guest ARGUMENT...: builds for these arguments of the program. With debug information if
# GUEST_DEBUG=limited, so that a profile can name functions.
build_guest() {
    local features=seeded,mceliece-rust
    case " $* " in *" --pqclean "*) features+=,mceliece ;; esac
    need "gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" \
        gcc aarch64-linux-gnu-gcc aarch64-linux-gnu-nm aarch64-linux-gnu-addr2line qemu-aarch64

    build_plugin "$OUT" qemu-aarch64

    # Static, at fixed addresses, so that only the program runs. Debug information names the inlined
    # functions and changes no instruction.
    local flags="-C target-feature=+crt-static -C relocation-model=static"
    flags+=' --cfg getrandom_backend="custom"'
    CARGO_PROFILE_RELEASE_DEBUG="${GUEST_DEBUG:-none}" \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="$flags" \
        cargo build --locked --quiet --release --target "$TARGET" -p falcon-benches --bin count \
        --features "$features"
}

# run_guest DIRECTORY ARGUMENT...: leaves the plugin's `counts` and `blocks`, and
# a copy of the program, in DIRECTORY.
run_guest() {
    local directory="$1" mark
    shift
    mark="$(aarch64-linux-gnu-nm --demangle "$GUEST" |
        sed -n 's/^\([0-9a-f]*\) . count::mark\(::h[0-9a-f]*\)\?$/0x\1/p')"
    if [ -z "$mark" ]; then
        echo "$GUEST has no symbol count::mark" >&2
        return 1
    fi
    cp "$OUT/plugin.so" "$GUEST" benches/arm/counts.jsonl "$directory"
    # Only the rows of Falcon are committed for comparison.
    local committed=()
    case " $* " in
    *" --mceliece "* | *" --loops "*) ;;
    *" --strict "*) committed=(--committed counts.jsonl) ;;
    esac
    # Environment and names are on the guest's stack and shift everything above them, so they are
    # always the same.
    (
        cd "$directory"
        env -i "$(command -v qemu-aarch64)" -seed 1 -cpu "$CPU" \
            -plugin "./plugin.so,mark=$mark,out=counts,blocks=blocks" \
            ./count --counts counts ${committed[@]+"${committed[@]}"} "$@"
    )
}
