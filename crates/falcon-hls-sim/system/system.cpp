// Simulates falcon_system with the program of +ram=FILE and its argument +argument=NUMBER. Prints
// what the program writes to the console, and ends with the program's exit code. Fails if the
// program uses an address without a device, or if it does not end within +clocks=COUNT clocks.
#include "Vfalcon_system.h"
#include "verilated.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

// Returns the number of +NAME=NUMBER on the command line, or `otherwise`.
uint64_t number(VerilatedContext &context, const char *name, uint64_t otherwise) {
    const char *given = std::strchr(context.commandArgsPlusMatch(name), '=');
    return given ? std::strtoull(given + 1, nullptr, 10) : otherwise;
}

} // namespace

int main(int argc, char **argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    const uint64_t most = number(*context, "clocks=", 1000000000);
    auto top = std::make_unique<Vfalcon_system>(context.get());
    top->argument = static_cast<uint32_t>(number(*context, "argument=", 0));
    for (uint64_t clock = 0; clock < most; clock++) {
        // The circuits need a reset as long as a butterfly: 64 of their clocks.
        top->reset = clock < 512;
        top->clk = top->circuit_clk = top->fpu_clk = 0;
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
        // What nothing uses rests, which makes the simulation faster.
        top->circuit_clk = top->circuits_active;
        top->fpu_clk = top->fpu_active;
        top->eval();
    }
    std::fprintf(stderr, "the program does not end within %" PRIu64 " clocks\n", most);
    return 1;
}
