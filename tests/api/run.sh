#!/usr/bin/env bash
# Lists the public API of every published library, with all features, without hidden items.
#
#   tests/api/run.sh            compares it with docs/api, and fails if an item differs
#   tests/api/run.sh --renew    writes docs/api
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly LISTS=docs/api
readonly AARCH64=aarch64-unknown-linux-gnu
target_dir="${CARGO_TARGET_DIR:-target}"
case "${1:-}" in
    "" | --renew) ;;
    *)
        sed -n '2,5s/^# \?//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
esac

libraries=$(.ci/published --libraries)
host=() aarch64=()
for crate in $libraries; do
    # falcon-neon is empty on other processors.
    if [ "$crate" = falcon-neon ]; then aarch64+=("$crate"); else host+=("$crate"); fi
done

# write_json OPTION...: writes target/[TARGET/]doc/CRATE.json
write_json() {
    RUSTDOC="$PWD/tests/api/rustdoc.sh" \
        RUSTDOCFLAGS="-Z unstable-options --output-format json --cap-lints allow" \
        cargo doc --locked --quiet --lib --no-deps --all-features "$@"
}
write_json "${host[@]/#/--package=}"
write_json --target "$AARCH64" "${aarch64[@]/#/--package=}"
cargo build --locked --quiet -p falcon-api

new="$(mktemp -d)"
trap 'rm -rf "$new"' EXIT
for crate in "${host[@]}"; do
    "$target_dir/debug/falcon-api" "$target_dir/doc/${crate//-/_}.json" >"$new/$crate.txt"
done
for crate in "${aarch64[@]}"; do
    "$target_dir/debug/falcon-api" "$target_dir/$AARCH64/doc/${crate//-/_}.json" >"$new/$crate.txt"
done

if [ "${1:-}" = --renew ]; then
    mkdir -p "$LISTS"
    rm -f "$LISTS"/*.txt
    cp "$new"/*.txt "$LISTS"
elif ! diff -U 0 -r "$LISTS" "$new"; then
    echo "the public API is not that of $LISTS: if this is meant, run tests/api/run.sh --renew" >&2
    exit 1
fi
wc -l "$LISTS"/*.txt
