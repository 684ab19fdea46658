# Common functions of the scripts that count instructions under QEMU. Sourced in the root of the
# repository.

# need PACKAGES TOOL...: ends the script if a tool is missing.
need() {
    local packages="$1" tool
    shift
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null; then
            echo "$tool is missing; on Debian: apt-get install $packages" >&2
            exit 2
        fi
    done
}

# build_plugin DIRECTORY QEMU: builds DIRECTORY/plugin.so for the version of the program QEMU.
build_plugin() {
    local version
    mkdir -p "$1"
    version="$("$2" --version | sed -n '1s/.*version \([0-9]*\).*/\1/p')"
    gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden \
        "-DAPI=$((version < 9 ? 1 : 2))" benches/qemu/plugin.c -o "$1/plugin.so"
}

# Files whose functions are operations on lanes.
readonly LANES='/falcon-(core/src/lanes|lanes/src|neon/src)/'

# print_profile DIRECTORY GUEST ADDR2LINE INLINED: prints the PROFILE_LINES (25)
# functions with most instructions, from DIRECTORY/blocks.
#
# Blocks overlap, so executions of each instruction are counted first, then names. Additions, loads
# and the like are inlined everywhere and are not informative. An instruction counts for the
# innermost function whose file is neither in the standard library nor matches INLINED. A closure
# counts for the function that contains it.
print_profile() {
    local directory="$1" guest="$2" addr2line="$3" inlined="$4"
    awk '{ for (i = 0; i < $3; i++) executed[$2 + 4 * i] += $4 }
        END { for (a in executed) printf "%x %d\n", a, executed[a] }' \
        "$directory/blocks" >"$directory/executed"
    cut -d' ' -f1 "$directory/executed" |
        "$addr2line" -e "$guest" -a -f -i -C >"$directory/names"
    awk -v inlined="/library/(core|alloc|std)/|$inlined" '
        FNR == NR { executed[$1] = $2; total += $2; next }
        function close_address() {
            if (name == "") name = innermost
            sums[name] += executed[address]
        }
        /^0x/ {
            if (address != "") close_address()
            address = $1; sub(/^0x0*/, "", address)
            name = innermost = ""; odd = 1; next
        }
        {
            if (odd) {
                if (innermost == "") innermost = $0
                candidate = $0
            } else if (name == "" && $0 !~ inlined) {
                sub(/:[0-9?]+( .*)?$/, "")
                sub(/.*\/registry\/src\/[^\/]*\//, ""); sub(/.*\/crates\//, "")
                gsub(/::\{\{closure\}\}/, "", candidate)
                name = candidate "  " $0
            }
            odd = !odd
        }
        END {
            close_address()
            for (n in sums) printf "%.1f%% %d %s\n", 100 * sums[n] / total, sums[n], n
        }' "$directory/executed" "$directory/names" |
        sed 's/::h[0-9a-f]\{16\}//' | sort -k2,2nr >"$directory/functions"
    sed -n "1,${PROFILE_LINES:-25}p" "$directory/functions"
}

# origin: prints the date and the last commit, for the first line of a file with counts. The file
# belongs to a later commit, since a commit cannot contain its own id.
origin() {
    echo "$(date -u +%F), the tree after commit $(git rev-parse --short=8 HEAD)"
}
