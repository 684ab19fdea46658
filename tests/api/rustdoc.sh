#!/usr/bin/env bash
# Runs rustdoc with the permission to write JSON, which stable compilers give only with this
# variable. It is set for rustdoc alone, so that dependencies are not rebuilt.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
