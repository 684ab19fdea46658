#!/usr/bin/env bash
# Tests the OpenSSL provider with OpenSSL's programs, falcon-cli and Bouncy Castle.
#
#   test.sh FOLDER PROGRAMS [PREFIX [JARS]]
#
# FOLDER is that of build.sh, PROGRAMS has falcon-cli and falcon-interop. PREFIX is an OpenSSL other
# than that of the system ("" for that one). JARS is a folder with Bouncy Castle's packages, as
# tests/interop/run.sh fetches them. From OpenSSL 3.2 on, the test includes TLS.
set -euo pipefail

if [ "$#" -lt 2 ] || [ "$#" -gt 4 ]; then
    sed -n '2,7 s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(realpath "$1")
falcon=$(realpath "$2/falcon-cli")
interop=$(realpath "$2/falcon-interop")
prefix=$([ -z "${3:-}" ] || realpath "$3")
jars=$([ -z "${4:-}" ] || realpath "$4")
readonly here folder falcon interop prefix jars
readonly ROOT="$here/../../.."
openssl=openssl
flags=(-lcrypto)
if [ -n "$prefix" ]; then
    openssl="$prefix/bin/openssl"
    flags=(-I"$prefix/include" -L"$prefix/lib" "${flags[@]}")
    export LD_LIBRARY_PATH="$prefix/lib"
fi
export OPENSSL_MODULES="$folder"
work=$(mktemp -d)
server=
port=
SERVED=()
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
cd "$work"
cat >openssl.cnf <<'END'
[req]
distinguished_name = names
x509_extensions = root
[names]
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign,digitalSignature
subjectKeyIdentifier = hash
END
export OPENSSL_CONF="$work/openssl.cnf"
readonly LOADED=(-provider falconprovider -provider default)
version=$("$openssl" version | awk '{ print $2 }')
checks=0

# fail TEXT...: ends the test.
fail() {
    echo "test.sh: line ${BASH_LINENO[1]}: $*" >&2
    exit 1
}

# ossl COMMAND ARGUMENT...: a command of OpenSSL with the provider.
ossl() { "$openssl" "$1" "${LOADED[@]}" "${@:2}"; }

# accepts COMMAND...: the command must succeed.
accepts() {
    "$@" >output 2>&1 || { cat output >&2; fail "failed: $*"; }
    checks=$((checks + 1))
}

# refuses TEXT COMMAND...: the command must fail, and say TEXT.
refuses() {
    local text="$1"
    shift
    if "$@" >output 2>&1; then fail "accepted: $*"; fi
    grep -qF -- "$text" output || { cat output >&2; fail "another error than '$text': $*"; }
    checks=$((checks + 1))
}

# says TEXT COMMAND...: the command must say TEXT. For commands of OpenSSL whose status does not say
# that a signature is invalid.
says() {
    local text="$1"
    shift
    "$@" >output 2>&1 || true
    grep -qF -- "$text" output || { cat output >&2; fail "does not say '$text': $*"; }
    checks=$((checks + 1))
}

# equal FILE FILE: two files must be equal.
equal() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
    checks=$((checks + 1))
}

# shows PATTERN FILE, hides PATTERN FILE: a line of the file must match; none may.
shows() {
    grep -qE -- "$1" "$2" || { head -c 4000 "$2" >&2; fail "$2 lacks $1"; }
    checks=$((checks + 1))
}
hides() {
    if grep -qE -- "$1" "$2"; then fail "$2 shows $1"; fi
    checks=$((checks + 1))
}

# flip FILE PLACE NEW: copies a file with a bit changed; a negative place counts from the end.
flip() {
    python3 - "$@" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[2])] ^= 1
open(sys.argv[3], "wb").write(data)
END
}

# Keys: generation, forms, passphrases, texts.
check_keys() {
    local set="$1" title="$2" parameters="$3"
    accepts ossl genpkey -algorithm "$set" -out "$set.key"
    accepts ossl pkey -in "$set.key" -check -pubcheck -noout
    accepts ossl pkey -in "$set.key" -pubout -out "$set.pub"
    accepts "$falcon" -q pubkey -k "$set.key" -o falcon.pub --force
    equal falcon.pub "$set.pub"

    # The same seed gives the same key.
    printf '%064x' 7 >seed
    accepts ossl genpkey -algorithm "$set" -pkeyopt "hexseed:$(cat seed)" -out seeded.key
    accepts "$falcon" -q keygen -a "$parameters" --seed-file seed --force falcon.key
    equal seeded.key falcon.key

    accepts ossl pkey -in "$set.key" -outform DER -out key.der
    accepts ossl pkey -inform DER -in key.der -out key.pem
    equal key.pem "$set.key"
    accepts ossl pkey -pubin -in "$set.pub" -outform DER -out pub.der
    accepts ossl pkey -pubin -inform DER -in pub.der -out pub.pem
    equal pub.pem "$set.pub"
    flip key.der 100 changed.der
    refuses "Could not" ossl pkey -inform DER -in changed.der -noout

    echo horse >passphrase
    accepts ossl pkey -in "$set.key" -aes-256-cbc -passout pass:horse -out encrypted.key
    shows '^-----BEGIN ENCRYPTED PRIVATE KEY-----$' encrypted.key
    accepts ossl pkey -in encrypted.key -passin pass:horse -out key.pem
    equal key.pem "$set.key"
    refuses "bad decrypt" ossl pkey -in encrypted.key -passin pass:house -noout
    accepts "$falcon" -q pubkey -k encrypted.key --passphrase-file passphrase -o falcon.pub --force
    equal falcon.pub "$set.pub"
    accepts ossl pkcs8 -topk8 -in "$set.key" -passout pass:horse -outform DER -out encrypted.der
    accepts ossl pkcs8 -inform DER -in encrypted.der -passin pass:horse -out key.pem
    equal key.pem "$set.key"
    accepts "$falcon" -q keygen -a "$parameters" --passphrase-file passphrase --force hidden.key
    accepts ossl pkey -in hidden.key -passin pass:horse -pubout -out pub.pem
    equal pub.pem hidden.key.pub

    # Texts show the secret key only if they are asked for it.
    accepts ossl pkey -in "$set.key" -text_pub -noout -out text
    shows "^$title Public-Key:$" text
    hides 'priv|Private' text
    accepts ossl pkey -pubin -in "$set.pub" -text -noout -out text
    hides 'priv|Private' text
    accepts ossl pkey -in "$set.key" -text -noout -out text
    shows "^$title Private-Key:$" text
    shows '^priv:$' text
}

check_signatures() {
    local set="$1"
    head -c 20000 /dev/urandom >message
    flip message 19999 other
    accepts ossl pkeyutl -sign -rawin -inkey "$set.key" -in message -out message.sig
    accepts ossl pkeyutl -verify -rawin -pubin -inkey "$set.pub" -in message -sigfile message.sig
    accepts "$falcon" -q verify -p "$set.pub" message
    refuses "did not make the signature" \
        ossl pkeyutl -verify -rawin -pubin -inkey "$set.pub" -in other -sigfile message.sig
    flip message.sig 300 changed.sig
    refuses "Signature Verification Failure" \
        ossl pkeyutl -verify -rawin -pubin -inkey "$set.pub" -in message -sigfile changed.sig
    accepts "$falcon" -q sign -k "$set.key" -f compressed --force message
    accepts ossl pkeyutl -verify -rawin -pubin -inkey "$set.pub" -in message -sigfile message.sig
    # Other formats are refused: a message has one format of signatures here.
    accepts "$falcon" -q sign -k "$set.key" -f padded --force message
    refuses "Signature Verification Failure" \
        ossl pkeyutl -verify -rawin -pubin -inkey "$set.pub" -in message -sigfile message.sig
    refuses "give no digest" ossl dgst -sha256 -sign "$set.key" -out message.sig message

    # The mark of a key for certificates only is kept, and obeyed.
    accepts "$falcon" -q keygen -a "${2}" --use certificates --force marked.key
    accepts ossl pkey -in marked.key -out key.pem
    equal key.pem marked.key
    refuses "certificates only" \
        ossl pkeyutl -sign -rawin -inkey marked.key -in message -out message.sig
    accepts ossl req -x509 -new -key marked.key -subj /CN=Marked -days 30 -out marked.pem
    accepts ossl verify -check_ss_sig -CAfile marked.pem marked.pem
}

# A chain: a root of one parameter set, a leaf of the other one.
check_certificates() {
    local set="$1" leaf="$2"
    accepts ossl req -x509 -new -key "$set.key" -subj "/CN=Root of $set" -days 30 -out root.pem
    accepts ossl req -new -key "$leaf.key" -subj /CN=localhost -out leaf.csr
    says "verify OK" ossl req -in leaf.csr -verify -noout
    accepts ossl x509 -req -in leaf.csr -CA root.pem -CAkey "$set.key" -days 10 -out leaf.pem
    accepts ossl verify -check_ss_sig -CAfile root.pem leaf.pem
    accepts ossl x509 -in leaf.pem -noout -text -out text
    shows "Signature Algorithm: $set$" text
    shows "Public Key Algorithm: $leaf$" text
    refuses "unable to get local issuer certificate" ossl verify leaf.pem
    accepts ossl x509 -in leaf.pem -outform DER -out leaf.der
    flip leaf.der -100 changed.der
    accepts ossl x509 -inform DER -in changed.der -out changed.pem
    refuses "certificate signature failure" ossl verify -CAfile root.pem changed.pem
    accepts ossl x509 -in root.pem -outform DER -out root.der
    flip root.der -100 changed.der
    accepts ossl x509 -inform DER -in changed.der -out changed.pem
    refuses "certificate signature failure" ossl verify -check_ss_sig -CAfile changed.pem leaf.pem
    accepts ossl req -in leaf.csr -outform DER -out leaf.csr.der
    flip leaf.csr.der -100 changed.der
    says "verify failure" ossl req -inform DER -in changed.der -verify -noout

    accepts "$falcon" inspect root.pem
    shows 'signature valid, by the key in this certificate' output
    accepts "$falcon" inspect leaf.csr
    shows 'signature valid' output
}

# Documents of Bouncy Castle and of falcon-x509 in kat, and the form of keys of the former.
check_vectors() {
    local maker size="$1" kat="$ROOT/kat/x509"
    for maker in bouncy-castle falcon-x509; do
        accepts ossl verify -check_ss_sig -CAfile "$kat/$maker-$size.certificate.pem" \
            "$kat/$maker-$size.certificate.pem"
        says "verify OK" ossl req -in "$kat/$maker-$size.request.pem" -verify -noout
        says "verify OK" ossl crl -in "$kat/$maker-$size.revocation-list.pem" \
            -CAfile "$kat/$maker-$size.certificate.pem" -noout
    done
    accepts ossl pkey -in "$ROOT/kat/pkcs8/bouncy-castle-$size.pem" -pubout -out pub.pem
    accepts "$falcon" -q pubkey -k "$ROOT/kat/pkcs8/bouncy-castle-$size.pem" -o falcon.pub --force
    equal pub.pem falcon.pub
}

# Writes FOLDER/TITLE.certificate.pem, .request.pem and .revocation-list.pem, with the names, dates
# and numbers that BouncyCastleX509.java expects.
write_documents() {
    local set="$1" title="$2" to="$3"
    rm -rf authority
    mkdir -p "$to" authority
    : >authority/index
    echo 17 >authority/serial
    echo 07 >authority/crlnumber
    cat >authority/configuration <<'END'
[ca]
default_ca = aerie
[aerie]
database = authority/index
serial = authority/serial
crlnumber = authority/crlnumber
new_certs_dir = authority
default_md = default
default_crl_days = 9000
policy = names
x509_extensions = root
crl_extensions = list
[names]
commonName = supplied
organizationName = supplied
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[list]
authorityKeyIdentifier = keyid
END
    accepts ossl req -new -key "$set.key" -subj "/O=Aerie/CN=Root of $title" -out root.csr
    accepts ossl ca -config authority/configuration -batch -selfsign -keyfile "$set.key" \
        -in root.csr -startdate 20250101000000Z -enddate 20550101000000Z -notext \
        -out "$to/$title.certificate.pem"
    # Revoked by their numbers alone, 42 and 43: the database has a line for each.
    printf 'R\t550101000000Z\t250601000000Z%s\tunknown\t/CN=stolen\n' $',keyCompromise\t2A' \
        $'\t2B' >>authority/index
    accepts ossl ca -config authority/configuration -gencrl -keyfile "$set.key" \
        -cert "$to/$title.certificate.pem" -out "$to/$title.revocation-list.pem"
    accepts ossl req -new -key "$set.key" -subj "/O=Aerie/CN=Eyas" -out "$to/$title.request.pem"
    # falcon-x509 expects a request with attributes.
    mkdir -p "$to-falcon"
    cp "$to/$title.certificate.pem" "$to/$title.revocation-list.pem" "$to-falcon"
    accepts ossl req -new -key "$set.key" -subj "/O=Aerie/CN=Eyas" \
        -addext keyUsage=digitalSignature -out "$to-falcon/$title.request.pem"
}

# falcon-x509 verifies the documents, and refuses them with any byte changed.
check_falcon_x509() {
    accepts "$interop" check-x509 documents-falcon
    shows '6 documents of X.509 verified, [1-9][0-9]* changed ones refused' output
}

check_bouncy_castle() {
    local title
    accepts java -cp "$jars/*" "$ROOT/tests/interop/BouncyCastleX509.java" documents theirs
    shows '6 documents of X.509 verified, 18 changed ones refused' output
    for title in Falcon-512 Falcon-1024; do
        accepts ossl verify -check_ss_sig -CAfile "theirs/$title.certificate.pem" \
            "theirs/$title.certificate.pem"
        says "verify OK" ossl req -in "theirs/$title.request.pem" -verify -noout
        says "verify OK" ossl crl -in "theirs/$title.revocation-list.pem" \
            -CAfile "theirs/$title.certificate.pem" -noout
    done
}

# Signed messages. OpenSSL 3.0 demands a digest for each signature, and Falcon takes none.
check_cms() {
    local set="$1"
    accepts ossl req -x509 -new -key "$set.key" -subj /CN=Signer -days 30 -out root.pem
    if [[ "$version" == 3.0.* ]]; then
        refuses "no default digest" ossl cms -sign -signer root.pem -inkey "$set.key" -in message \
            -outform DER -out message.cms
        return
    fi
    accepts ossl cms -sign -md sha512 -binary -nodetach -signer root.pem -inkey "$set.key" \
        -in message -outform DER -out message.cms
    accepts ossl cms -verify -inform DER -in message.cms -CAfile root.pem -binary -out content
    equal content message
    flip message.cms -50 changed.cms
    refuses "erification failure" \
        ossl cms -verify -inform DER -in changed.cms -CAfile root.pem -binary -out content
}

# serve ARGUMENT...: starts a TLS server and waits until it accepts connections.
serve() {
    local i
    if [ -n "$server" ]; then
        kill "$server"
        wait "$server" || true
    fi
    # The loop must not find the port of the server before.
    rm -f server.log
    "$@" s_server "${LOADED[@]}" -accept 0 -tls1_3 -www -CAfile ca.pem >server.log 2>&1 \
        "${SERVED[@]}" &
    server=$!
    for ((i = 0; i < 300; i++)); do
        port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' server.log 2>/dev/null || true)
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    cat server.log >&2
    fail "the server does not start"
}

# connect ARGUMENT...: one TLS connection to the server.
connect() {
    ossl s_client -connect "localhost:$port" -tls1_3 -CAfile ca.pem -verify_return_error "$@" \
        <<<Q
}

# TLS: a handshake with a certificate of SET under a root of ROOT; refusal of a changed certificate
# and of a changed signature of the handshake. Code points are those of the OQS provider.
check_tls() {
    local set="$1" root="$2" code="$3"
    accepts ossl req -x509 -new -key "$root.key" -subj "/CN=Root of $root" -days 30 -out ca.pem
    accepts ossl req -new -key "$set.key" -subj /CN=localhost -out leaf.csr
    accepts ossl x509 -req -in leaf.csr -CA ca.pem -CAkey "$root.key" -days 10 -out leaf.pem
    SERVED=(-cert leaf.pem -key "$set.key" -Verify 1 -verify_return_error)
    serve "$openssl"
    accepts connect -msg -cert leaf.pem -key "$set.key"
    shows 'Verify return code: 0 \(ok\)' output
    shows "signature type: $set" output
    # CertificateVerify of the server: type 15, length, code point.
    tr -s ' \n' ' ' <output >message.hex
    shows "0f 00 [0-9a-f]{2} [0-9a-f]{2} $code " message.hex
    # The root has not signed the certificate of this client.
    accepts ossl req -x509 -new -key "$set.key" -subj /CN=stranger -days 30 -out stranger.pem
    refuses "alert" connect -cert stranger.pem -key "$set.key" -ign_eof

    accepts ossl x509 -in leaf.pem -outform DER -out leaf.der
    flip leaf.der -100 changed.der
    accepts ossl x509 -inform DER -in changed.der -out changed.pem
    SERVED=(-cert changed.pem -key "$set.key")
    serve "$openssl"
    refuses "certificate verify failed" connect
    SERVED=(-cert leaf.pem -key "$set.key")
    serve env LD_PRELOAD="$work/spoil.so" "$openssl"
    refuses "bad signature" connect
    serve "$openssl"
    accepts connect
}

# Builds a library that changes every signature that a program makes.
build_spoil() {
    cat >spoil.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
typedef int signing(void *, unsigned char *, size_t *, const unsigned char *, size_t);
int EVP_DigestSign(void *context, unsigned char *signature, size_t *len,
                   const unsigned char *message, size_t message_len) {
    signing *sign = (signing *)dlsym(RTLD_NEXT, "EVP_DigestSign");
    int done = sign(context, signature, len, message, message_len);
    if (done == 1 && signature != NULL) signature[300] ^= 1;
    return done;
}
END
    gcc -shared -fPIC spoil.c -o spoil.so
}

check_c() {
    gcc -std=c11 -D_DEFAULT_SOURCE -O1 -g -Wall -Wextra -Wpedantic -Werror "$here/check.c" \
        "${flags[@]}" -lpthread -o check
    accepts ./check
    # Looking up a function at its first call saves registers, which may hold secrets, on the stack.
    accepts env LD_BIND_NOW=1 ./check wiped
    accepts valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,possible \
        --error-exitcode=9 ./check
    gcc -std=c11 -D_DEFAULT_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror "$here/speed.c" \
        -I"$folder/falconsign/include" "$folder/falconsign/lib/libfalconsign.a" \
        "${flags[@]}" -lpthread -ldl -lm -o speed
    accepts ./speed 50
}

accepts ossl list -providers
shows 'Falcon signatures' output
# TLS asks each provider what it has.
accepts ossl ciphers -s -tls1_3
exported=$(nm -D --defined-only "$folder/falconprovider.so" | awk '{ print $3 }')
[ "$exported" = OSSL_provider_init ] || fail "exports $exported"
check_keys falcon512 Falcon-512 falcon-512
check_keys falcon1024 Falcon-1024 falcon-1024
check_signatures falcon512 falcon-512
check_signatures falcon1024 falcon-1024
check_certificates falcon512 falcon1024
check_certificates falcon1024 falcon512
check_vectors 512
check_vectors 1024
write_documents falcon512 Falcon-512 documents
write_documents falcon1024 Falcon-1024 documents
check_falcon_x509
[ -z "$jars" ] || check_bouncy_castle
check_cms falcon512
check_cms falcon1024
check_c
if [[ "$version" != 3.[01].* ]]; then
    build_spoil
    check_tls falcon512 falcon1024 'fe d7'
    check_tls falcon1024 falcon512 'fe da'
fi
echo "the provider passed $checks checks with OpenSSL $version"
