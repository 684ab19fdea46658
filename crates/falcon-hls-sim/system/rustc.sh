#!/usr/bin/env bash
# Starts the compiler for cargo (RUSTC_WRAPPER), with names of symbols that do not depend on the
# folder of the clone. The linker orders functions by these names, and the order decides which of
# them meet in the processor's small caches.
set -euo pipefail
arguments=()
for argument in "$@"; do
    case "$argument" in
    metadata=*) argument="metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION" ;;
    esac
    arguments+=("$argument")
done
exec "${arguments[@]}"
