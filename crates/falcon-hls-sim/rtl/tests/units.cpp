// Feeds a unit with one operation a clock, and at each clock compares its output with the result
// that is due.
//
//     units OUTPUT LATENCY [OUTPUT LATENCY]
//
// Standard input: records of four words of 64 bits, little endian: a, b, the
// control (sub for daddsub, by for dscale), the result that is due. An output of
// latency L is due after the L-th rising edge that follows the change of the
// operands; with L = 0, before the first one. After the last record the operands
// keep changing, so that a unit that relies on steady operands fails.
//
// Prints the number of results that were compared and exits with 0 if all were right. Otherwise
// prints the first wrong result and exits with 1.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vunits.h"

struct Record {
    uint64_t a, b, control, due;
};

// Larger than any latency.
static const size_t HISTORY = 64;

struct Output {
    const char *name;
    const QData *bits;
    size_t latency;
    uint64_t checked;
};

static const QData *output_named(const Vunits &units, const char *name) {
    if (!strcmp(name, "product")) return &units.product;
    if (!strcmp(name, "product_later")) return &units.product_later;
    if (!strcmp(name, "sum")) return &units.sum;
    if (!strcmp(name, "sum_later")) return &units.sum_later;
    if (!strcmp(name, "scaled")) return &units.scaled;
    if (!strcmp(name, "scaled_later")) return &units.scaled_later;
    fprintf(stderr, "no output %s\n", name);
    exit(2);
}

static void apply(Vunits &units, const Record &record) {
    units.a = record.a;
    units.b = record.b;
    units.sub = record.control & 1;
    units.by = record.control & 0xfff;
}

// Compares the output with the result of record number `n`, which is due now.
static void check(Output &output, const Record *history, uint64_t n) {
    const Record &record = history[n % HISTORY];
    if (*output.bits != record.due) {
        printf("%s, latency %zu, record %" PRIu64 ": %016" PRIx64 " %016" PRIx64 " control %" PRIx64
               ": %016" PRIx64 ", not %016" PRIx64 "\n",
               output.name, output.latency, n, record.a, record.b, record.control,
               (uint64_t)*output.bits, record.due);
        exit(1);
    }
    output.checked++;
}

int main(int argc, char **argv) {
    static Vunits units;
    Output outputs[2];
    size_t count = 0;
    for (int i = 1; i + 1 < argc && count < 2; i += 2) {
        size_t latency = strtoul(argv[i + 1], nullptr, 10);
        if (latency >= HISTORY) return 2;
        outputs[count++] = Output{argv[i], output_named(units, argv[i]), latency, 0};
    }

    static Record history[HISTORY];
    uint64_t records = 0;
    bool more = true;
    for (uint64_t clock = 0; more || clock < records + HISTORY; clock++) {
        Record record;
        if (more && fread(&record, sizeof record, 1, stdin) == 1) {
            history[clock % HISTORY] = record;
            records++;
        } else {
            more = false;
            record = Record{clock * 0x9e3779b97f4a7c15, ~clock, clock, 0};
        }
        units.clk = 0;
        apply(units, record);
        units.eval();
        for (size_t i = 0; i < count; i++)
            if (outputs[i].latency == 0 && clock < records) check(outputs[i], history, clock);
        units.clk = 1;
        units.eval();
        for (size_t i = 0; i < count; i++) {
            size_t latency = outputs[i].latency;
            if (latency > 0 && clock + 1 >= latency && clock + 1 - latency < records)
                check(outputs[i], history, clock + 1 - latency);
        }
    }
    for (size_t i = 0; i < count; i++) printf("%s %" PRIu64 "\n", outputs[i].name, outputs[i].checked);
    return 0;
}
