/* A plugin of QEMU that counts the instructions that a program executes between
 * marks. Counts instructions of A64 by kind.
 *
 *     qemu-aarch64 -plugin ./plugin.so,mark=0xADDRESS,out=FILE ./program
 *
 * Each time the program calls the function at ADDRESS (the mark), writes a line
 * to `out`: the numbers of instructions since the previous mark, in the order
 * of `enum kind`. On processors other than A64, all instructions count as
 * INTEGER. With `blocks=FILE`, every second mark writes the blocks of code that
 * ran since the previous mark to that file: number of the pair of marks from 0,
 * address, number of instructions, executions. Except on A64, a block is written
 * as blocks of one instruction, since instructions have different lengths there.
 *
 * Declares the functions of the plugin interface itself, so that no header of
 * QEMU is needed. -DAPI=1 is for QEMU 4.2 to 8, -DAPI=2 for later versions.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char *target_arch;
    struct { int min, cur; } version;
    /* more follows */
} plugin_info;
enum callback_flags { NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *),
                                          enum callback_flags, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
/* The same symbol, with its type in version 3 of the interface and later. */
size_t copy_insn_data(const struct qemu_plugin_insn *, void *, size_t) __asm__("qemu_plugin_insn_data");

EXPORT int qemu_plugin_version = API;

enum kind { LOAD, STORE, LOAD_VECTOR, STORE_VECTOR, VECTOR, INTEGER, BRANCH, KINDS };

/* A translated block. Only its executions are counted, since each runs from the
 * first instruction to the last. */
struct block {
    uint64_t address, length, executed;
    uint64_t kinds[KINDS];
    uint64_t *addresses; /* of its instructions, unless all are A64 */
    struct block *next;
};

static struct block *blocks;
static uint64_t mark, marks;
static FILE *out, *blocks_out;
static bool copies_data, is_a64;

/* Groups of A64: "Arm Architecture Reference Manual", C4.1. Vector and
 * floating-point registers are the same registers. Prefetches and atomics count
 * as loads, pairs as one instruction. */
static enum kind kind_of(uint32_t word)
{
    unsigned group = (word >> 25) & 15;
    if ((group & 7) == 7)
        return VECTOR;
    if ((group & 14) == 10)
        return BRANCH;
    if ((group & 5) != 4)
        return INTEGER;
    bool vector = (word >> 26) & 1, load;
    unsigned form = (word >> 27) & 7, opc = (word >> 22) & 3;
    if (form == 7 && !(word >> 24 & 1) && (word >> 21 & 1) && !(word >> 10 & 3))
        load = true; /* atomic memory operations */
    else if (form == 7)
        load = (opc & 1) || (!vector && opc == 2);
    else if (form == 3)
        load = !(word >> 24 & 1) || opc != 0; /* literals; LDAPUR and STLUR */
    else
        load = opc & 1; /* pairs, exclusive accesses, structures: the bit L */
    return vector ? (load ? LOAD_VECTOR : STORE_VECTOR) : (load ? LOAD : STORE);
}

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    ((struct block *)data)->executed++;
}

static void print_block(uint64_t address, uint64_t length, uint64_t executed)
{
    fprintf(blocks_out, "%llu %llu %llu %llu\n", (unsigned long long)marks / 2 - 1,
            (unsigned long long)address, (unsigned long long)length,
            (unsigned long long)executed);
}

static void on_mark(unsigned cpu, void *data)
{
    (void)cpu, (void)data;
    uint64_t sums[KINDS] = {0};
    marks++;
    for (struct block *b = blocks; b; b = b->next) {
        for (int k = 0; k < KINDS; k++)
            sums[k] += b->executed * b->kinds[k];
        if (blocks_out && marks % 2 == 0 && b->executed) {
            if (is_a64)
                print_block(b->address, b->length, b->executed);
            else
                for (uint64_t i = 0; i < b->length; i++)
                    print_block(b->addresses[i], 1, b->executed);
        }
        b->executed = 0;
    }
    for (int k = 0; k < KINDS; k++)
        fprintf(out, "%llu%c", (unsigned long long)sums[k], k + 1 < KINDS ? ' ' : '\n');
    fflush(out);
    if (blocks_out)
        fflush(blocks_out);
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    struct block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->address = qemu_plugin_tb_vaddr(tb);
    b->length = qemu_plugin_tb_n_insns(tb);
    if (b->address == mark) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_mark, NO_REGISTERS, NULL);
        free(b);
        return;
    }
    if (!is_a64 && !(b->addresses = calloc(b->length, sizeof *b->addresses)))
        abort();
    for (size_t i = 0; i < b->length; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t word;
        if (!is_a64) {
            b->addresses[i] = qemu_plugin_insn_vaddr(insn);
            b->kinds[INTEGER]++;
            continue;
        }
        if (copies_data)
            copy_insn_data(insn, &word, 4);
        else
            memcpy(&word, qemu_plugin_insn_data(insn), 4);
        b->kinds[kind_of(word)]++;
    }
    b->next = blocks;
    blocks = b;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, NO_REGISTERS, b);
}

EXPORT int qemu_plugin_install(plugin_id id, const plugin_info *info, int argc, char **argv)
{
    copies_data = info->version.cur >= 3;
    is_a64 = !strcmp(info->target_arch, "aarch64");
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "mark=", 5))
            mark = strtoull(argv[i] + 5, NULL, 0);
        else if (!strncmp(argv[i], "out=", 4))
            out = fopen(argv[i] + 4, "w");
        else if (!strncmp(argv[i], "blocks=", 7))
            blocks_out = fopen(argv[i] + 7, "w");
    }
    if (!is_a64)
        mark &= ~(uint64_t)1; /* symbols of Thumb functions are odd */
    if (!mark || !out) {
        fprintf(stderr, "plugin: needs mark=ADDRESS and a writable out=FILE\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
