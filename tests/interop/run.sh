#!/usr/bin/env bash
# Exchanges keys and signatures with implementations in other languages: the same seed of 48 bytes
# gives the same key there and here, and signatures verify both ways.
#
#   tests/interop/run.sh            # all peers; one that cannot be installed is named and left out
#   tests/interop/run.sh --strict   # fails if one cannot be installed
#
# Needed: Node with npm for noble-post-quantum, Java 17 with Maven for Bouncy Castle. Their packages
# go to the target folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly NOBLE=@noble/post-quantum@0.7.1
readonly BOUNCY_CASTLE=1.87
strict="${1:-}"
folder="$(realpath -m "${CARGO_TARGET_DIR:-target}/interop")"
readonly strict folder
mkdir -p "$folder"
left_out=0

cargo build --locked --quiet -p falcon-interop
program="${CARGO_TARGET_DIR:-target}/debug/falcon-interop"
"$program" write "$folder/ours"

# leave_out PEER WHY
leave_out() {
    echo "LEFT OUT: $1: $2" >&2
    left_out=$((left_out + 1))
}

# check PEER COMMAND...: the command gets the files of our lines and of those that it writes.
check() {
    local peer="$1"
    shift
    rm -f "$folder/$peer.tsv"
    "$@" "$folder/ours" "$folder/$peer.tsv"
    echo "from $peer: $("$program" check "$folder/ours" "$folder/$peer.tsv")"
}

if ! command -v npm >/dev/null; then
    leave_out noble "npm is not installed"
elif ! npm install --silent --no-audit --no-fund --prefix "$folder" "$NOBLE" >/dev/null; then
    leave_out noble "npm cannot install $NOBLE"
else
    # Node looks for packages beside the script.
    cp tests/interop/noble.mjs "$folder"
    check noble node "$folder/noble.mjs"
fi

jar="$folder/bcprov-jdk18on-$BOUNCY_CASTLE.jar"
if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
    leave_out bouncy-castle "java or mvn is not installed"
elif [ ! -f "$jar" ] && ! mvn -q dependency:copy -DoutputDirectory="$folder" \
    -Dartifact="org.bouncycastle:bcprov-jdk18on:$BOUNCY_CASTLE" >&2; then
    leave_out bouncy-castle "Maven cannot fetch version $BOUNCY_CASTLE"
else
    check bouncy-castle java -cp "$jar" tests/interop/BouncyCastle.java
fi

[ "$left_out" -eq 0 ] || [ "$strict" != --strict ]
