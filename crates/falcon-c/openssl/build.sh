#!/usr/bin/env bash
# Builds the OpenSSL provider: build.sh FOLDER writes FOLDER/falconprovider.so, and installs the C
# library that it contains under FOLDER/falconsign. For Linux, with OpenSSL 3.0 or later.
#
# The compiler is `cc`; OPENSSL_PREFIX names an OpenSSL other than that of the system.
set -euo pipefail

if [ "$#" -ne 1 ]; then
    sed -n '2,5 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=$(realpath -m "$1")
flags=()
if [ -n "${OPENSSL_PREFIX:-}" ]; then
    flags=(-I"$OPENSSL_PREFIX/include" -L"$OPENSSL_PREFIX/lib")
fi
mkdir -p "$output"
[ -f "$output/falconsign/lib/libfalconsign.a" ] || "$folder/../install.sh" "$output/falconsign"
# A library of Rust must stay loaded (falconsign.h, "Unloading").
cc -std=c11 -O2 -fPIC -fvisibility=hidden -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror \
    -I"$output/falconsign/include" "${flags[@]}" \
    "$folder"/{provider,key,signature,encode,decode}.c -shared -o "$output/falconprovider.so" \
    -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-z,relro,-z,now -Wl,-z,defs \
    "$output/falconsign/lib/libfalconsign.a" -lcrypto -lpthread -ldl -lm
echo "built $output/falconprovider.so"
