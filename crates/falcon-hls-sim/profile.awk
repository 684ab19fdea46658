# Attributes executed instructions to parts of the work: see profile.sh.
#
#   awk -v start=ADDRESS -v case=TEXT -f profile.awk DONE COUNTS NAMES
#
# DONE: part and butterflies. COUNTS: address or "library", executions. NAMES: what
# addr2line -a -f -i -C prints. Addresses are 0x and digits without zeros before
# them. `start` is where the permutation begins.

function part_of(chain) {
    if (chain !~ /\.rs:/) return "library"
    if (chain ~ /\/falcon-keccak\/src\/(keccak|lazy)\.rs|\/keccak-[0-9.]+\//) return "keccak-f"
    if (chain ~ /fft::transform::fft /) return "fft"
    if (chain ~ /fft::transform::ifft /) return "ifft"
    # Splits the diagonals of the tree, whose butterflies are not counted.
    if (chain ~ /fft::nodes::split_ldl/) return "tree"
    if (chain ~ /fft::nodes::split(_run)? /) return "split"
    if (chain ~ /fft::nodes::merge(_run)? /) return "merge"
    if (chain ~ /::nearest_plane(_step)? /) return "nearest-plane"
    if (chain ~ /\/fft\/nodes\.rs|\/tree\.rs/) return "tree"
    if (chain ~ /ntru::fixed::i?fft /) return "fixed-point-fft"
    if (chain ~ /\/ntru\//) return "ntru"
    if (chain ~ /\/ntt\//) return "ntt"
    if (chain ~ /\/sampler\//) return "sampler"
    if (chain ~ /\/prng\.rs/) return "chacha20"
    if (chain ~ /\/hash\/|\/falcon-keccak\//) return "hashing"
    if (chain ~ /\/codec\//) return "encoding"
    return "rest"
}

function close_address(part) {
    if (address == "") return
    part = part_of(chain)
    instructions[part] += executions[address]
}

FILENAME != file { file = FILENAME; number++ }
number == 1 { done[$1] = $2; next }
number == 2 {
    if ($1 == "library") instructions["library"] += $2
    else executions[$1] += $2
    next
}
/^0x/ {
    close_address()
    address = $1; sub(/^0x0*/, "0x", address)
    chain = ""; is_name = 1
    next
}
{
    if (is_name) name = $0
    else { sub(/ \(discriminator.*/, ""); chain = chain name " " $0 ";" }
    is_name = !is_name
}

END {
    close_address()
    done["keccak-f"] = sprintf("%.0f", executions[start])
    count = split("fft ifft split merge nearest-plane tree fixed-point-fft keccak-f hashing " \
        "ntru ntt sampler chacha20 encoding library rest", parts, " ")
    for (i = 1; i <= count; i++)
        printf "%s\t%s\t%.0f\t%s\n", case, parts[i], instructions[parts[i]],
            parts[i] in done ? done[parts[i]] : "-"
}
