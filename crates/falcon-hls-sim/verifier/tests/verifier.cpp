// Drives falcon_verifier. Standard input and output are 64-bit words. The input begins with the
// number of cases. A case is a number of which each byte gap is drawn (0: no gaps), and three
// fields, each its length and its bytes. A case gives two words: 1 or 0 for accept or reject, and
// the clocks from the first byte on that the verdict took.
#include "Vfalcon_verifier.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

uint64_t read_word() {
    uint64_t word;
    if (std::fread(&word, sizeof word, 1, stdin) != 1) {
        std::fprintf(stderr, "the input ends early\n");
        std::exit(1);
    }
    return word;
}

void write_word(uint64_t word) { std::fwrite(&word, sizeof word, 1, stdout); }

struct Circuit {
    Vfalcon_verifier top;
    uint64_t clocks = 0;

    // Updates the values between two edges.
    void settle() {
        top.clk = 0;
        top.eval();
    }

    void clock() {
        settle();
        top.clk = 1;
        top.eval();
        if (++clocks > 1000000) {
            std::fprintf(stderr, "it never ends\n");
            std::exit(1);
        }
    }

    // Sends a byte, or the end of a field.
    void send(uint8_t byte, bool end) {
        top.in_valid = 1;
        top.in_data = byte;
        top.in_end = end;
        for (;;) {
            settle();
            const bool ready = top.in_ready;
            clock();
            if (ready) break;
        }
        top.in_valid = 0;
    }
};

} // namespace

int main() {
    auto circuit = std::make_unique<Circuit>();
    auto &top = circuit->top;
    for (uint64_t count = read_word(); count > 0; count--) {
        uint64_t gaps = read_word();
        // What is on the wires between two bytes must not matter.
        top.in_valid = 0;
        top.in_data = 0x5a;
        top.in_end = 1;
        top.reset = 1;
        circuit->clock();
        top.reset = 0;
        circuit->clocks = 0;
        for (int field = 0; field < 3; field++) {
            const uint64_t length = read_word();
            for (uint64_t i = 0; i <= length; i++) {
                circuit->send(i < length ? static_cast<uint8_t>(read_word()) : 0xa5, i == length);
                for (; gaps % 4 == 1; gaps = gaps * 0x5851f42d4c957f2d + (gaps >> 33))
                    circuit->clock();
                gaps = gaps * 0x5851f42d4c957f2d + (gaps >> 33);
            }
        }
        for (;;) {
            circuit->settle();
            if (top.accept || top.reject) break;
            circuit->clock();
        }
        const uint64_t clocks = circuit->clocks;
        const bool accepted = top.accept;
        for (int i = 0; i < 20; i++) {
            if (top.accept == top.reject || top.accept != accepted || top.in_ready) {
                std::fprintf(stderr, "the verdict does not stay\n");
                return 1;
            }
            circuit->clock();
        }
        write_word(accepted);
        write_word(clocks);
    }
    return 0;
}
