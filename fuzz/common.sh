# Common parts of run.sh and long.sh, which source this file in the root of the tree.

nightly="${FALCON_NIGHTLY:-nightly}"
triple=$(rustc -vV | sed -n 's/^host: //p')
bin_dir="${CARGO_TARGET_DIR:-fuzz/target}/$triple/release"

# Names of all targets.
all_targets() { sed '/^#/d; s/\t.*//' fuzz/targets.tsv; }

# Crates whose coverage guides libFuzzer: the targets, the decoders, and the parsers that they call.
# Code of `serde` and `serde_json` for our types is compiled in the targets. Hashes, ciphers and
# mutators are not instrumented: new coverage there would not be about a decoder.
guides=(
    falcon-fuzz falcon-cli falcon-core falcon-envelope falcon-invisible falcon-x509 mceliece-core
    base16ct base64ct const-oid der humantime parquet pem-rfc7468 pkcs5 pkcs8 postcard spki
    x509-cert
)

# The instrumentation of `cargo fuzz`, as a list of TOML: a counter for each edge. Three of its
# parts are left out. Tracing of comparisons takes up to two thirds of the time, and the mutators
# know the values that decoders compare with. The depth of the stack is useless, since no decoder is
# recursive without a limit. LibFuzzer counts indirect calls but does not use the counts.
instrumentation='[
    "-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0"]'

# Builds the targets, and writes the first inputs into fuzz/corpus.
build() {
    local guide options=()
    for guide in "${guides[@]}"; do
        options+=(--config "profile.release.package.$guide.rustflags=$instrumentation")
    done
    RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1" cargo "+$nightly" build --release \
        -Zprofile-rustflags "${options[@]}" --manifest-path fuzz/Cargo.toml --target "$triple"
    FALCON_CORPUS=fuzz/corpus "$bin_dir/seeds" >/dev/null 2>&1
}

# fuzz_one PROGRAM LOG OPTION...: runs a target on its corpus and on the committed one. New inputs
# go to fuzz/corpus, and an input that fails goes to fuzz/artifacts. A run does not replace inputs
# by shorter ones with the same coverage: minimise.sh does that.
fuzz_one() {
    local program=$1 log=$2 target max_len
    shift 2
    target=$(basename "$program")
    max_len=$(awk -v target="$target" '$1 == target { print $2 }' fuzz/targets.tsv)
    [ -n "$max_len" ] || { echo "$target is not in fuzz/targets.tsv" >&2; return 1; }
    mkdir -p "fuzz/artifacts/$target" "fuzz/corpus/$target" "fuzz/seeds/$target"
    # Folder of the target's temporary files, in memory if possible: flushes take no time there.
    local memory=/dev/shm folder status=0
    [ -w "$memory" ] || memory=${TMPDIR:-/tmp}
    folder=$(mktemp -d -p "$memory")
    TMPDIR=$folder "$program" "fuzz/corpus/$target" "fuzz/seeds/$target" \
        -artifact_prefix="fuzz/artifacts/$target/" -max_len="$max_len" -timeout=10 \
        -rss_limit_mb=1024 -print_final_stats=1 -reduce_inputs=0 "$@" >"$log" 2>&1 || status=$?
    rm -rf "$folder"
    return "$status"
}

# executed LOG: number of inputs that a run has executed.
executed() { sed -n 's/^stat::number_of_executed_units: *//p' "$1" | tail -n 1; }
