# Fetches the source of Falcon's C reference. Sourced by the scripts that build it, in the root of
# the repository.
#
# The source is algorand/falcon's copy of the reference, which pip downloads as a part of a package.
# That copy's `config.h` asks for emulated binary64. It is left out by `-DFALCON_CONFIG_H__`, so the
# code computes with doubles, which is the reference's own default. Needs pip.

# fetch_reference FOLDER: leaves the C files of the reference and `reference.c` in FOLDER.
fetch_reference() {
    local name=algorand_falcon-0.1.0 package=algorand-falcon==0.1.0
    local sum=f09a43c240a6182436b6878b552ba55d4e62f4a61512c0f899039379d65551f6
    mkdir -p "$1"
    if [ ! -e "$1/$name.tar.gz" ]; then
        python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$1" "$package"
    fi
    sha256sum --check --quiet <<<"$sum  $1/$name.tar.gz"
    tar -C "$1" --strip-components=3 -xzf "$1/$name.tar.gz" "$name/vendor/falcon"
    cp benches/reference/reference.c "$1"
    # Deterministic signatures are Algorand's own.
    rm -f "$1/deterministic.c"
}
