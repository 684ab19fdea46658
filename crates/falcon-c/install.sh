#!/usr/bin/env bash
# Builds the C library and installs it: header, static and shared library, falconsign.pc. For Linux.
#
#   install.sh PREFIX              an absolute path, for example /usr/local
#   install.sh PREFIX LIBRARIES    installs the libraries of this folder instead of building them
#
# DESTDIR is put before PREFIX where the files are written.
set -euo pipefail

if [ "$#" -lt 1 ] || [ "$#" -gt 2 ]; then
    sed -n '2,7 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
if [ "${1#/}" = "$1" ]; then
    echo "install.sh: $1: falconsign.pc needs an absolute path" >&2
    exit 2
fi
if [ "$#" -eq 1 ] && [ -n "${CARGO_BUILD_TARGET:-}" ]; then
    echo "install.sh: unset CARGO_BUILD_TARGET, or build the libraries and pass their folder" >&2
    exit 2
fi
command -v strip >/dev/null || {
    echo "install.sh: strip is missing; on Debian: apt-get install binutils" >&2
    exit 2
}
readonly PREFIX="$1" TARGET="${DESTDIR:-}$1"
folder=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(sed -n 's/^#define FALCONSIGN_VERSION "\(.*\)"$/\1/p' "$folder/include/falconsign.h")
# The version of the interface: that of build.rs.
case "$version" in
    0.*) interface="${version%.*}" ;;
    *) interface="${version%%.*}" ;;
esac

if [ "$#" -eq 2 ]; then
    libraries="$2"
else
    # Without the form for Rust programs, so that the whole library is optimised at link time.
    (CDPATH="" cd "$folder" && cargo rustc --locked --release --lib \
        --crate-type staticlib --crate-type cdylib >&2)
    metadata=$(CDPATH="" cd "$folder" && cargo metadata --locked --no-deps --format-version 1)
    libraries=$(sed 's/.*"target_directory":"\([^"]*\)".*/\1/' <<<"$metadata")/release
fi

install -d "$TARGET/include" "$TARGET/lib/pkgconfig"
install -m 644 "$folder/include/falconsign.h" "$TARGET/include/"
install -m 644 "$libraries/libfalconsign.a" "$TARGET/lib/"
install -m 755 "$libraries/libfalconsign.so" "$TARGET/lib/libfalconsign.so.$version"
strip --strip-unneeded "$TARGET/lib/libfalconsign.so.$version"
strip --strip-debug "$TARGET/lib/libfalconsign.a"
ln -sf "libfalconsign.so.$version" "$TARGET/lib/libfalconsign.so.$interface"
ln -sf "libfalconsign.so.$interface" "$TARGET/lib/libfalconsign.so"
# pkg-config reads a blank as the end of a flag.
cat >"$TARGET/lib/pkgconfig/falconsign.pc" <<END
prefix=${PREFIX// /\\ }
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: falconsign
Description: Falcon post-quantum signatures (NIST round 3, not FN-DSA)
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lfalconsign
Libs.private: -lpthread -ldl -lm
END
chmod 644 "$TARGET/lib/pkgconfig/falconsign.pc"
echo "installed falconsign $version in $TARGET"
