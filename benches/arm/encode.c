/* Calls PQClean's ENCODE between two marks that `qemu/plugin.c` sees. The function is static, so
 * its file is included here. */
#include "encrypt.c"

enum { CALLS = 4 };

static unsigned char public_key[PK_NROWS * PK_ROW_BYTES], error[SYS_N / 8], sent[SYND_BYTES];

/* Any numbers do, since no branch depends on them. */
static unsigned char next(void) {
    static uint64_t state = 1;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    return (unsigned char)(z >> 32);
}

/* The function whose address the plugin gets. */
__attribute__((noinline)) void mark(void) { __asm__ volatile("" ::: "memory"); }

int main(void) {
    for (size_t i = 0; i < sizeof public_key; i++) {
        public_key[i] = next();
    }
    for (size_t i = 0; i < sizeof error; i++) {
        error[i] = next();
    }
    mark();
    for (int i = 0; i < CALLS; i++) {
        syndrome(sent, public_key, error);
        __asm__ volatile("" ::: "memory");
    }
    mark();
    return 0;
}
