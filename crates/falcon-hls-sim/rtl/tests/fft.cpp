// Drives falcon_fft: reads polynomials from standard input, and writes each result to standard
// output, followed by the cycles that it took. All data are 64-bit words. The input begins with the
// number of complex numbers of a polynomial, the number of clocks that a read takes, and the number
// of polynomials.
#include "Vfalcon_fft.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
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
    Vfalcon_fft top;

    void clock() {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
    }

    // Updates the values between two edges.
    void settle() {
        top.clk = 0;
        top.eval();
    }
};

} // namespace

int main() {
    const uint64_t words = read_word(), latency = read_word(), count = read_word();
    auto circuit = std::make_unique<Circuit>();
    auto &top = circuit->top;
    top.reset = 1;
    top.start = 0;
    top.host_write = 0;
    for (int i = 0; i < 64; i++) circuit->clock();
    top.reset = 0;
    for (uint64_t polynomial = 0; polynomial < count; polynomial++) {
        top.host_write = 1;
        for (uint64_t u = 0; u < words; u++) {
            const uint64_t re = read_word(), im = read_word();
            top.host_address = static_cast<std::remove_reference_t<decltype(top.host_address)>>(u);
            top.host_in[0] = static_cast<uint32_t>(re);
            top.host_in[1] = static_cast<uint32_t>(re >> 32);
            top.host_in[2] = static_cast<uint32_t>(im);
            top.host_in[3] = static_cast<uint32_t>(im >> 32);
            circuit->clock();
        }
        top.host_write = 0;

        top.start = 1;
        circuit->clock();
        top.start = 0;
        // Counted here, not by the circuit: from the first busy cycle on.
        uint64_t cycles = 0;
        for (;;) {
            circuit->settle();
            if (top.done) break;
            if (cycles++ > 1000000) {
                std::fprintf(stderr, "it never ends\n");
                return 1;
            }
            circuit->clock();
        }
        if (top.cycles != cycles) {
            std::fprintf(stderr, "the circuit counts %u cycles instead of %llu\n", top.cycles,
                         static_cast<unsigned long long>(cycles));
            return 1;
        }
        circuit->clock();

        for (uint64_t u = 0; u < words; u++) {
            top.host_address = static_cast<std::remove_reference_t<decltype(top.host_address)>>(u);
            for (uint64_t i = 0; i < latency; i++) circuit->clock();
            circuit->settle();
            write_word(top.host_out[0] | static_cast<uint64_t>(top.host_out[1]) << 32);
            write_word(top.host_out[2] | static_cast<uint64_t>(top.host_out[3]) << 32);
        }
        write_word(cycles);
    }
    return 0;
}
