// Simulates falcon_system with the program of +ram=FILE. Prints what the program writes to the
// console, and ends with the program's exit code. Fails if the program uses an address without a
// device, or if it does not end within +clocks=COUNT clocks.
#include "Vfalcon_system.h"
#include "verilated.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

int main(int argc, char **argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    const char *limit = std::strchr(context->commandArgsPlusMatch("clocks="), '=');
    const uint64_t most = limit ? std::strtoull(limit + 1, nullptr, 10) : 1000000000;
    auto top = std::make_unique<Vfalcon_system>(context.get());
    for (uint64_t clock = 0; clock < most; clock++) {
        // The circuits need a reset as long as a butterfly.
        top->reset = clock < 64;
        top->clk = 0;
        top->eval();
        if (!top->reset) {
            if (top->console_write) std::putchar(top->console_byte);
            if (top->fault) {
                std::fprintf(stderr, "no device at address %08x\n", top->address);
                return 1;
            }
            if (top->exit_write) {
                std::fprintf(stderr, "%" PRIu64 " clocks\n", clock);
                return static_cast<int>(top->exit_code);
            }
        }
        top->clk = 1;
        top->eval();
    }
    std::fprintf(stderr, "the program does not end within %" PRIu64 " clocks\n", most);
    return 1;
}
