#!/usr/bin/env bash
# Builds the static C library and puts it into this module, where cgo finds it:
#
#   build.sh              builds it with cargo, as a release
#   build.sh LIBRARIES    takes libfalconsign.a and libfalconsign.so of this folder
#
# Writes lib/ and library.h, which git ignores.
set -euo pipefail

if [ "$#" -gt 1 ]; then
    sed -n '2,7 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
module=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
installed=$(mktemp -d)
trap 'rm -r "$installed"' EXIT
DESTDIR="$installed" "$module/../crates/falcon-c/install.sh" /falconsign "$@" >/dev/null

install -d "$module/lib"
install -m 644 "$installed/falconsign/include/falconsign.h" \
    "$installed/falconsign/lib/libfalconsign.a" "$module/lib/"
# Go does not notice that a library in LDFLAGS has changed. It does notice this header, whose text
# depends on the library.
hash=$(cat "$module"/lib/* | sha256sum | cut -d ' ' -f 1)
cat >"$module/library.h" <<END
/* Written by build.sh. */
#include "lib/falconsign.h"
#define FALCONSIGN_LIBRARY_HASH "$hash"
END
echo "built $module/lib/libfalconsign.a"
