#!/usr/bin/env bash
# rustdoc that may write JSON, which stable compilers keep for those who pin them. Set for rustdoc
# alone, so that dependencies are not built anew.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
