// Drives falcon_keccak: reads states from standard input, and writes each result to standard output,
// followed by the cycles that it took. All data are 64-bit words. The input begins with the number
// of states.
#include "Vfalcon_keccak.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

constexpr unsigned HALVES = 50;

uint64_t read_word() {
    uint64_t word;
    if (std::fread(&word, sizeof word, 1, stdin) != 1) {
        std::fprintf(stderr, "the input ends early\n");
        std::exit(1);
    }
    return word;
}

void write_word(uint64_t word) { std::fwrite(&word, sizeof word, 1, stdout); }

// Updates the values between two edges.
void settle(Vfalcon_keccak &top) {
    top.clk = 0;
    top.eval();
}

void clock(Vfalcon_keccak &top) {
    settle(top);
    top.clk = 1;
    top.eval();
}

} // namespace

int main() {
    const uint64_t count = read_word();
    auto circuit = std::make_unique<Vfalcon_keccak>();
    auto &top = *circuit;
    top.reset = 1;
    top.start = 0;
    top.host_write = 0;
    clock(top);
    top.reset = 0;
    for (uint64_t state = 0; state < count; state++) {
        top.host_write = 1;
        for (unsigned half = 0; half < HALVES; half += 2) {
            const uint64_t word = read_word();
            for (unsigned i = 0; i < 2; i++) {
                top.host_address = half + i;
                top.host_in = static_cast<uint32_t>(word >> (32 * i));
                clock(top);
            }
        }
        top.start = 1;
        top.host_write = 0;
        clock(top);
        top.start = 0;
        // A write and a start while the circuit is busy must have no effect.
        top.host_write = 1;
        top.start = 1;
        uint64_t cycles = 0;
        for (bool done = false; !done;) {
            settle(top);
            if (!top.busy || cycles > 1000) {
                std::fprintf(stderr, "busy for %llu cycles without an end\n",
                             static_cast<unsigned long long>(cycles));
                return 1;
            }
            done = top.done;
            if (done) top.host_write = top.start = 0;
            cycles++;
            clock(top);
        }
        settle(top);
        if (top.busy || top.cycles != cycles) {
            std::fprintf(stderr, "the circuit counts %u cycles instead of %llu\n", top.cycles,
                         static_cast<unsigned long long>(cycles));
            return 1;
        }
        for (unsigned half = 0; half < HALVES; half += 2) {
            uint64_t word = 0;
            for (unsigned i = 0; i < 2; i++) {
                top.host_address = half + i;
                clock(top);
                settle(top);
                word |= static_cast<uint64_t>(top.host_out) << (32 * i);
            }
            write_word(word);
        }
        write_word(cycles);
    }
    return 0;
}
