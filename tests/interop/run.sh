#!/usr/bin/env bash
# Exchanges keys and signatures with implementations in other languages. The same seed of 48 bytes
# gives the same key on both sides, and signatures verify in both directions. The package of liboqs
# takes no seeds: it signs with our keys, and we read keys of its own.
#
# tests/interop/run.sh            # all peers; reports and skips those that cannot be installed
# tests/interop/run.sh --strict   # fails if one cannot be installed
# tests/interop/run.sh --jars     # fetches Bouncy Castle's packages only, and prints their folder
#
# Needed: Node with npm for noble-post-quantum and liboqs, Java 17 with Maven for Bouncy Castle,
# Python with pip for Algorand's code. Their packages are installed in the target folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly NOBLE=@noble/post-quantum@0.7.1
readonly LIBOQS=@oqs/liboqs-js@0.15.1
readonly BOUNCY_CASTLE=1.87
readonly ALGORAND=algorand-falcon==0.1.0
strict="${1:-}"
folder="$(realpath -m "${CARGO_TARGET_DIR:-target}/interop")"
readonly strict folder
mkdir -p "$folder"
left_out=0

# fetch_jars: downloads the provider, and the two packages that certificates need.
fetch_jars() {
    local name
    for name in bcprov bcutil bcpkix; do
        [ -f "$folder/$name-jdk18on-$BOUNCY_CASTLE.jar" ] ||
            mvn -q dependency:copy -DoutputDirectory="$folder" \
                -Dartifact="org.bouncycastle:$name-jdk18on:$BOUNCY_CASTLE" >&2 || return 1
    done
}

if [ "$strict" = --jars ]; then
    fetch_jars
    echo "$folder"
    exit
fi

# `falcon-features` makes an existing build of the whole workspace usable here.
cargo build --locked --quiet -p falcon-interop -p falcon-features
program="${CARGO_TARGET_DIR:-target}/debug/falcon-interop"
"$program" write "$folder/ours"

# leave_out PEER WHY: reports a peer that is left out.
leave_out() {
    echo "LEFT OUT: $1: $2" >&2
    left_out=$((left_out + 1))
}

# check PEER SETS COMMAND...: runs the command with the file of our lines and the file that it must
# write, and checks its lines.
check() {
    local peer="$1" sets told
    read -ra sets <<<"$2"
    shift 2
    rm -f "$folder/$peer.tsv"
    "$@" "$folder/ours" "$folder/$peer.tsv"
    # A failure inside the arguments of `echo` would be ignored.
    told=$("$program" check "$folder/ours" "$folder/$peer.tsv" "${sets[@]}")
    echo "from $peer: $told"
}

# check_npm PEER PACKAGE: checks the peer with tests/interop/PEER.mjs.
check_npm() {
    local peer="$1" package="$2"
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        leave_out "$peer" "node or npm is not installed"
    elif ! npm install --silent --no-audit --no-fund --prefix "$folder" "$package" >/dev/null; then
        leave_out "$peer" "npm cannot install $package"
    else
        # Node looks for packages beside the script.
        cp "tests/interop/$peer.mjs" "$folder"
        check "$peer" 'Falcon-512 Falcon-1024' node "$folder/$peer.mjs"
    fi
}
check_npm noble "$NOBLE"
check_npm liboqs "$LIBOQS"

# check_x509 COMMAND...: runs the command with the folder of our documents and the folder for its
# own, and checks its documents.
check_x509() {
    local told
    rm -rf "$folder/x509"
    "$program" write-x509 "$folder/x509/ours"
    "$@" "$folder/x509/ours" "$folder/x509/theirs"
    told=$("$program" check-x509 "$folder/x509/theirs")
    echo "from bouncy-castle: $told"
}

if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
    leave_out bouncy-castle "java or mvn is not installed"
elif ! fetch_jars; then
    leave_out bouncy-castle "Maven cannot fetch version $BOUNCY_CASTLE"
else
    check bouncy-castle 'Falcon-512 Falcon-1024' \
        java -cp "$folder/*" tests/interop/BouncyCastle.java
    check_x509 java -cp "$folder/*" tests/interop/BouncyCastleX509.java
fi

if ! python3 -m venv "$folder/python" 2>/dev/null; then
    leave_out algorand "python3 cannot make a virtual environment"
elif ! "$folder/python/bin/pip" install --quiet --disable-pip-version-check "$ALGORAND"; then
    leave_out algorand "pip cannot install $ALGORAND"
else
    check algorand det1024 "$folder/python/bin/python" tests/interop/algorand.py
    # Generates the vectors of the tests again, and compares.
    "$folder/python/bin/python" kat/det1024/make.py | cmp - kat/det1024/records.txt
fi

[ "$left_out" -eq 0 ] || [ "$strict" != --strict ]
