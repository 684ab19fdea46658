#!/usr/bin/env bash
# Builds the programs and libraries of OpenSSL 3.6 for test.sh: newer.sh PREFIX. The source is that
# of the crate openssl-src. Only what the test needs is built, and not optimised.
set -euo pipefail

if [ "$#" -ne 1 ]; then
    sed -n '2,3 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
prefix=$(realpath -m "$1")
mkdir -p "$prefix"/{bin,lib,include,build,fetch}
cd "$prefix/fetch"
: >lib.rs
cat >Cargo.toml <<'END'
[package]
name = "fetch"
version = "0.0.0"
edition = "2024"

[lib]
path = "lib.rs"

[dependencies]
openssl-src = "=300.6.1"

[workspace]
END
metadata=$(cargo metadata --format-version 1)
source=$(sed 's/.*"manifest_path":"\([^"]*openssl-src-[^"]*\)\/Cargo.toml".*/\1/' <<<"$metadata")
source="$source/openssl"

cd "$prefix/build"
without=()
for name in makedepend asm tests docs engine module legacy fips argon2 aria bf blake2 camellia \
    cast chacha cmp comp ct des dgram dh dsa dtls ec2m gost http idea lms md4 mdc2 \
    ml-dsa ml-kem multiblock nextprotoneg ocb ocsp padlockeng poly1305 psk quic rc2 rc4 \
    rfc3779 rmd160 seed siphash siv slh-dsa sm2 sm3 sm4 srp srtp ssl3 ssl-trace tls1 \
    tls1_1 tls1_2 ts whirlpool zlib; do
    without+=("no-$name")
done
perl "$source/Configure" linux-x86_64 shared "${without[@]}" -O0 --prefix="$prefix" >/dev/null
# The crate lacks the program that lists the exported symbols: all are exported.
for name in libcrypto libssl; do
    echo 'OPENSSL_3.0.0 { global: *; };' >"$name.ld"
done
jobs=$(($(nproc) * 2))
make -s -j"$jobs" build_generated >/dev/null
make -s -j"$jobs" -o libcrypto.ld -o libssl.ld apps/openssl >/dev/null
cp apps/openssl "$prefix/bin"
cp libcrypto.so.3 libssl.so.3 "$prefix/lib"
ln -sf libcrypto.so.3 "$prefix/lib/libcrypto.so"
cp -r "$source/include/openssl" include/openssl "$prefix/include"
LD_LIBRARY_PATH="$prefix/lib" "$prefix/bin/openssl" version
