#!/usr/bin/env bash
# Builds liboqs 0.13, runs its tests with its own Falcon and with this library in its place, and
# prints the speeds that its speed_sig measures for both: liboqs.sh FOLDER
#
# The source is that of the crate oqs-sys 0.11.0. A result that differs from liboqs's own hashes of
# known answers fails.
set -euo pipefail

if [ "$#" -ne 1 ]; then
    sed -n '2,6 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(realpath -m "$1")
mkdir -p "$folder/fetch"
"$here/build.sh" "$folder"

cd "$folder/fetch"
: >lib.rs
cat >Cargo.toml <<'END'
[package]
name = "fetch"
version = "0.0.0"
edition = "2024"

[lib]
path = "lib.rs"

[dependencies]
oqs-sys = { version = "=0.11.0", default-features = false }

[workspace]
END
metadata=$(cargo metadata --format-version 1)
source=$(sed 's/.*"manifest_path":"\([^"]*oqs-sys-[^"]*\)\/Cargo.toml".*/\1/' <<<"$metadata")
source="$source/liboqs"

# The program's random bytes are those of liboqs.
cat >"$folder/random.c" <<'END'
#include <stddef.h>
#include <stdint.h>

void OQS_randombytes(uint8_t *output, size_t len);
int PQCLEAN_randombytes(uint8_t *output, size_t len);

int PQCLEAN_randombytes(uint8_t *output, size_t len) {
    OQS_randombytes(output, len);
    return 0;
}
END
gcc -O2 -Wall -Wextra -Werror -c "$folder/random.c" -o "$folder/random.o"

# All functions that liboqs calls. `-u` makes the linker take them before it reads liboqs.
names=()
for name in FALCON512 FALCON1024 FALCONPADDED512 FALCONPADDED1024; do
    for code in CLEAN AVX2; do
        names+=("PQCLEAN_${name}_${code}_crypto_sign_keypair")
    done
done
ours="$folder/random.o $folder/libfalconpqclean.a"
for name in "${names[@]}"; do ours="-Wl,-u,$name $ours"; done

sets="SIG_falcon_512;SIG_falcon_1024;SIG_falcon_padded_512;SIG_falcon_padded_1024"
build() {
    local name="$1" flags="$2"
    cmake -S "$source" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DOQS_USE_OPENSSL=OFF -DOQS_DIST_BUILD=ON -DOQS_MINIMAL_BUILD="$sets" \
        -DCMAKE_EXE_LINKER_FLAGS="$flags" -DCMAKE_C_STANDARD_LIBRARIES="-lpthread -ldl -lm" \
        >"$folder/$name.log" 2>&1 || { tail -40 "$folder/$name.log" >&2; exit 1; }
    cmake --build "$folder/build" --parallel "$(nproc)" \
        --target test_sig kat_sig test_sig_mem speed_sig >>"$folder/$name.log" 2>&1 ||
        { tail -40 "$folder/$name.log" >&2; exit 1; }
    rm -rf "${folder:?}/$name"
    cp -r "$folder/build/tests" "$folder/$name"
}
build theirs ""
build ours "$ours"

# One implementation is in a program, and it is the right one: only theirs has functions inside.
inside() { nm "$1" | grep -c ' [Tt] PQCLEAN_FALCON.*_sign_dyn$' || true; }
for program in test_sig kat_sig test_sig_mem speed_sig; do
    if [ "$(inside "$folder/theirs/$program")" -eq 0 ] ||
        [ "$(inside "$folder/ours/$program")" -ne 0 ]; then
        echo "liboqs.sh: $program is not linked as it should be" >&2
        exit 1
    fi
done

# Compares the known answers of one algorithm with the hashes of liboqs.
cat >"$folder/kat.py" <<'END'
import hashlib, json, subprocess, sys

program, hashes, algorithm = sys.argv[1:]
expected = json.load(open(hashes))[algorithm]
for form, options in (("single", []), ("all", ["--all"])):
    output = subprocess.run([program, algorithm, *options], stdout=subprocess.PIPE, check=True)
    found = hashlib.sha256(output.stdout.replace(b"\r", b"")).hexdigest()
    if found != expected[form]:
        sys.exit(f"{algorithm}: known answers, {form}: {found} instead of {expected[form]}")
END

cd "$folder"
for algorithm in Falcon-512 Falcon-1024 Falcon-padded-512 Falcon-padded-1024; do
    for side in theirs ours; do
        python3 kat.py "$side/kat_sig" "$source/tests/KATs/sig/kats.json" "$algorithm"
        "$side/test_sig" "$algorithm" >"$side.log" 2>&1 || { cat "$side.log" >&2; exit 1; }
    done
    valgrind --quiet --error-exitcode=9 --leak-check=full ours/test_sig "$algorithm" >/dev/null
    for operation in 0 1 2; do
        valgrind --quiet --error-exitcode=9 ours/test_sig_mem "$algorithm" "$operation" >/dev/null
    done
    echo "$algorithm: known answers, test_sig, valgrind, test_sig_mem: ok"
done

echo "microseconds, the mean of two seconds: liboqs's own Falcon, then this library"
for algorithm in Falcon-512 Falcon-1024 Falcon-padded-512 Falcon-padded-1024; do
    for operation in keypair sign verify; do
        times=()
        for side in theirs ours; do
            times+=("$("$side/speed_sig" -d 2 "$algorithm" | awk -F'|' -v what="$operation" \
                '$1 ~ "^" what {gsub(/ /, "", $4); print $4}')")
        done
        echo "$algorithm $operation ${times[*]}"
    done
done
