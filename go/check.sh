#!/usr/bin/env bash
# Checks the Go module. Needs Go 1.19 or newer and gcc. First run build.sh.
#
#   check.sh quick          format, vet, tests and examples
#   check.sh full PROGRAM   the same with the race detector and to the whole extent, exchange with
#                           this falcon-cli, benchmarks, fuzzing, and another module that uses this
set -euo pipefail

# What the caller's environment says about modules does not matter here.
export GOFLAGS="" GOWORK=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=1

quick() {
    local unformatted
    unformatted=$(gofmt -l .)
    if [ -n "$unformatted" ]; then
        echo "not formatted by gofmt: $unformatted" >&2
        return 1
    fi
    go vet ./...
    go test ./...
}

# The lines of the README, in a new module.
other_module() {
    local other
    other=$(mktemp -d)
    cat >"$other/main.go" <<'END'
package main

import (
	"falconsign"
	"fmt"
	"os"
)

func main() {
	key, err := falconsign.GenerateSigningKey(falconsign.Falcon512)
	if err != nil {
		panic(err)
	}
	defer key.Close()
	signature, err := key.Sign(nil, []byte("order #42"), falconsign.Padded)
	if err != nil {
		panic(err)
	}
	fmt.Println(key.VerifyingKey().Verify([]byte("order #43"), signature, falconsign.Padded))
	err = key.VerifyingKey().Verify([]byte("order #42"), signature, falconsign.Padded)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
END
    cd "$other"
    go mod init other
    go mod edit -require=falconsign@v0.1.0 -replace=falconsign="$module"
    go run . | grep -F "did not make the signature"
    cd "$module"
    rm -r "$other"
}

full() {
    local fuzz program
    program=$(realpath "$1")
    cd "$module"
    quick
    FALCON_FULL=1 go test -race .
    go test -run TestExchange -v . -args -falcon-cli="$program" | tee "$log"
    if ! grep -q '^ok' "$log" || grep -q -- '--- SKIP' "$log"; then
        echo "nothing was exchanged with $program" >&2
        return 1
    fi
    go test -run xxx -bench . -benchtime 10x .
    for fuzz in FuzzVerify FuzzParse; do
        go test -run xxx -fuzz "$fuzz" -fuzztime 10s .
    done
    other_module
}

readonly module="$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
log=$(mktemp)
trap 'rm "$log"' EXIT
case "$#:${1:-}" in
    1:quick) cd "$module" && quick ;;
    2:full) full "$2" ;;
    *) sed -n '2,6 s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
