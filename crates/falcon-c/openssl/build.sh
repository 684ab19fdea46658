#!/usr/bin/env bash
# Builds the OpenSSL provider: build.sh FOLDER writes FOLDER/falconprovider.so, and installs the C
# library, which the provider contains, in FOLDER/falconsign. For Linux, with OpenSSL 3.0 or later.
# PKG_CONFIG_PATH can name an OpenSSL other than that of the system.
set -euo pipefail

if [ "$#" -ne 1 ]; then
    sed -n '2,4 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=$(realpath -m "$1")
flags=$(pkg-config --cflags --libs libcrypto)
read -ra flags <<<"$flags"
"$folder/../install.sh" "$output/falconsign"
# A library of Rust must stay loaded (falconsign.h, "Unloading").
gcc -std=c11 -O2 -fPIC -fvisibility=hidden -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror \
    -ffile-prefix-map="$folder/"= -I"$output/falconsign/include" \
    "$folder"/{provider,key,signature,encode,decode}.c -shared -o "$output/falconprovider.so" \
    -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-z,relro,-z,now -Wl,-z,defs \
    "$output/falconsign/lib/libfalconsign.a" "${flags[@]}" -lpthread -ldl -lm
echo "built $output/falconprovider.so"
