// Drives the serial line of `board`, which has 40 clocks per bit. Standard input and output are
// 64-bit words. The input begins with the number of cases. A case is three fields, each its length
// and its bytes. A case gives the byte of the answer.
#include "Vboard.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

constexpr int CLOCKS_PER_BIT = 40;

uint64_t read_word() {
    uint64_t word;
    if (std::fread(&word, sizeof word, 1, stdin) != 1) {
        std::fprintf(stderr, "the input ends early\n");
        std::exit(1);
    }
    return word;
}

void clocks(Vboard &top, int count) {
    for (int i = 0; i < count; i++) {
        top.clk_25mhz = 0;
        top.eval();
        top.clk_25mhz = 1;
        top.eval();
    }
}

void send(Vboard &top, uint64_t byte) {
    // A start bit, eight bits, a stop bit.
    const uint64_t frame = (byte & 0xff) << 1 | 0x200;
    for (int i = 0; i < 10; i++) {
        top.ftdi_txd = frame >> i & 1;
        clocks(top, CLOCKS_PER_BIT);
        if (!top.ftdi_rxd && i < 9) {
            std::fprintf(stderr, "an answer before the end\n");
            std::exit(1);
        }
    }
}

uint64_t receive(Vboard &top) {
    for (int waited = 0; top.ftdi_rxd; waited++) {
        if (waited > 1000000) {
            std::fprintf(stderr, "no answer\n");
            std::exit(1);
        }
        clocks(top, 1);
    }
    clocks(top, CLOCKS_PER_BIT + CLOCKS_PER_BIT / 2);
    uint64_t byte = 0;
    for (int i = 0; i < 8; i++) {
        byte |= static_cast<uint64_t>(top.ftdi_rxd) << i;
        clocks(top, CLOCKS_PER_BIT);
    }
    const unsigned light = byte == 'A' ? 1 : 2;
    if (!top.ftdi_rxd || top.led != light) {
        std::fprintf(stderr, "no stop bit, or another light\n");
        std::exit(1);
    }
    clocks(top, CLOCKS_PER_BIT);
    return byte;
}

} // namespace

int main() {
    auto top = std::make_unique<Vboard>();
    top->ftdi_txd = 1;
    clocks(*top, 100);
    for (uint64_t count = read_word(); count > 0; count--) {
        for (int field = 0; field < 3; field++) {
            const uint64_t length = read_word();
            send(*top, length >> 8);
            send(*top, length);
            for (uint64_t i = 0; i < length; i++) send(*top, read_word());
        }
        const uint64_t answer = receive(*top);
        std::fwrite(&answer, sizeof answer, 1, stdout);
    }
    return 0;
}
