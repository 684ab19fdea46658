#!/usr/bin/env bash
# Builds libfalconpqclean.a in a folder: build.sh FOLDER
set -euo pipefail

if [ "$#" -ne 1 ]; then
    sed -n '2 s/^# //p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(CDPATH="" cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
cargo rustc --locked --release --lib --crate-type staticlib >&2
metadata=$(cargo metadata --locked --no-deps --format-version 1)
libraries=$(sed 's/.*"target_directory":"\([^"]*\)".*/\1/' <<<"$metadata")/release
cp "$libraries/libfalconpqclean.a" "$folder"
