/* Replaces the operating system for one static Linux program. It loads
   the program, answers the system calls of a Rust test that has one thread, writes
   the output to the serial port and ends with the line `machine: exit STATUS`.

   The first 4 KiB of the disk hold the number of its sectors, a line for each
   argument, an empty line, a line for each environment variable, and another
   empty line. The program follows. */

#include <elf.h>
#include <stdint.h>

#define BASE 0x01000000UL /* of a position-independent program */
#define DISK 0x08000000UL
#define FILE (DISK + 4096)
#define STACK_TOP 0x20000000UL
#define STACK_LEN 0x00800000UL

#define ENOENT 2
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define ENOTTY 25
#define ENOSYS 38

/* The registers of a system call, as `entry` pushes them. */
struct registers {
    uint64_t rax, rdi, rsi, rdx, r8, r9, r10, r11, rcx;
};

struct io_vector {
    const char *start;
    uint64_t len;
};

uint64_t program_stack;
static uint64_t heap;
static uint64_t random_state;

static void out8(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static uint64_t cycles(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Reads the first `sectors` of the disk. */
static void read_disk(uint8_t *to, uint32_t sectors) {
    for (uint32_t i = 0; i < sectors; i++) {
        uint64_t words = 256;
        out8(0x1f2, 1);
        out8(0x1f3, (uint8_t)i);
        out8(0x1f4, (uint8_t)(i >> 8));
        out8(0x1f5, (uint8_t)(i >> 16));
        out8(0x1f6, 0xe0);
        out8(0x1f7, 0x20);
        while ((in8(0x1f7) & 0x88) != 0x08)
            ;
        __asm__ volatile("rep insw" : "+D"(to), "+c"(words) : "d"(0x1f0) : "memory");
    }
}

static void print(const char *text, uint64_t len) {
    for (uint64_t i = 0; i < len; i++) {
        while (!(in8(0x3fd) & 0x20))
            ;
        out8(0x3f8, (uint8_t)text[i]);
    }
}

static void print_text(const char *text) {
    uint64_t len = 0;
    while (text[len])
        len++;
    print(text, len);
}

static void print_number(const char *before, uint64_t x, unsigned base) {
    char digits[64];
    unsigned i = sizeof digits;
    do {
        digits[--i] = "0123456789abcdef"[x % base];
        x /= base;
    } while (x);
    print_text(before);
    print(digits + i, sizeof digits - i);
}

static void __attribute__((noreturn)) power_off(void) {
    /* Waits until the transmitter has sent everything. */
    while (!(in8(0x3fd) & 0x40))
        ;
    for (const char *word = "Shutdown"; *word; word++)
        out8(0x8900, (uint8_t)*word);
    for (;;)
        __asm__ volatile("hlt");
}

static void __attribute__((noreturn)) leave(uint64_t status) {
    print_number("machine: exit ", status, 10);
    print_text("\n");
    power_off();
}

void __attribute__((noreturn)) fault(uint64_t number, uint64_t code, uint64_t at, uint64_t address) {
    print_number("\nmachine: exception ", number, 10);
    print_number(", code ", code, 10);
    print_number(", at 0x", at, 16);
    print_number(", address 0x", address, 16);
    print_text("\n");
    leave(255);
}

static void copy(void *to, const void *from, uint64_t len) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
}

static void clear(void *to, uint64_t len) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(len) : "a"(0) : "memory");
}

static void set_fs(uint64_t base) {
    __asm__ volatile("wrmsr" : : "c"(0xc0000100), "a"((uint32_t)base), "d"((uint32_t)(base >> 32)));
}

/* Returns memory that was never returned before, so it is zero. */
static uint64_t allocate(uint64_t len) {
    uint64_t start = heap;
    len = (len + 4095) & ~4095UL;
    if (len > STACK_TOP - STACK_LEN - heap)
        return (uint64_t)-ENOMEM;
    heap += len;
    return start;
}

/* Predictable bytes in place of random ones. */
static void fill_randomly(uint8_t *out, uint64_t len) {
    for (uint64_t i = 0; i < len; i++) {
        random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
        out[i] = (uint8_t)(random_state >> 56);
    }
}

static uint64_t write_to(uint64_t file, const char *text, uint64_t len) {
    if (file != 1 && file != 2)
        return (uint64_t)-EBADF;
    print(text, len);
    return len;
}

void system_call(struct registers *r) {
    uint64_t result = (uint64_t)-ENOSYS;
    switch (r->rax) {
    case 0: /* read */
    case 3: /* close */
    case 7: /* poll */
    case 10: /* mprotect */
    case 11: /* munmap */
    case 13: /* rt_sigaction */
    case 14: /* rt_sigprocmask */
    case 28: /* madvise */
    case 131: /* sigaltstack */
    case 273: /* set_robust_list */
        result = 0;
        break;
    case 1: /* write */
        result = write_to(r->rdi, (const char *)r->rsi, r->rdx);
        break;
    case 20: { /* writev */
        const struct io_vector *parts = (const struct io_vector *)r->rsi;
        result = 0;
        for (uint64_t i = 0; i < r->rdx; i++)
            result += write_to(r->rdi, parts[i].start, parts[i].len);
        break;
    }
    case 9: /* mmap: private memory without a file, anywhere */
        if (r->r10 & 0x20 && !(r->r10 & 0x10))
            result = allocate(r->rsi);
        break;
    case 12: /* brk: unsupported, so that memory is mapped */
        result = 0;
        break;
    case 16: /* ioctl */
        result = (uint64_t)-ENOTTY;
        break;
    case 56: /* clone: refused, so that tests run in the first thread */
    case 435: /* clone3 */
        result = (uint64_t)-EAGAIN;
        break;
    case 2: /* open */
    case 89: /* readlink */
    case 257: /* openat */
    case 262: /* newfstatat */
    case 267: /* readlinkat */
        result = (uint64_t)-ENOENT;
        break;
    case 39: /* getpid */
    case 186: /* gettid */
    case 218: /* set_tid_address */
        result = 1;
        break;
    case 60: /* exit */
    case 231: /* exit_group */
        leave(r->rdi);
    case 62: /* kill */
    case 200: /* tkill */
    case 234: /* tgkill */
        leave(128 + (r->rax == 234 ? r->rdx : r->rsi));
    case 158: /* arch_prctl */
        if (r->rdi == 0x1002) {
            set_fs(r->rsi);
            result = 0;
        }
        break;
    case 202: /* futex: there is one thread, so nobody waits */
        result = (r->rsi & 0x7f) == 1 ? 0 : (uint64_t)-EAGAIN;
        break;
    case 204: /* sched_getaffinity: one processor */
        if (r->rsi >= 8) {
            *(uint64_t *)r->rdx = 1;
            result = 8;
        }
        break;
    case 228: { /* clock_gettime */
        uint64_t *time = (uint64_t *)r->rsi, now = cycles();
        time[0] = now / 1000000000;
        time[1] = now % 1000000000;
        result = 0;
        break;
    }
    case 302: { /* prlimit64 */
        uint64_t *limit = (uint64_t *)r->r10;
        if (limit)
            limit[0] = limit[1] = STACK_LEN;
        result = 0;
        break;
    }
    case 318: /* getrandom */
        fill_randomly((uint8_t *)r->rdi, r->rsi);
        result = r->rsi;
        break;
    }
    r->rax = result;
}

/* Loads the program and returns its start address. `program_stack` gets the
   initial stack of the program. */
uint64_t start(void) {
    /* 115200 baud, eight bits. */
    out8(0x3fb, 0x83);
    out8(0x3f8, 1);
    out8(0x3f9, 0);
    out8(0x3fb, 3);

    const Elf64_Ehdr *file = (const Elf64_Ehdr *)FILE;
    read_disk((uint8_t *)DISK, 1);
    char *line = (char *)DISK;
    uint32_t sectors = 0;
    for (; *line != '\n'; line++)
        sectors = 10 * sectors + (uint32_t)(*line - '0');
    line++;
    read_disk((uint8_t *)DISK, sectors);

    const Elf64_Phdr *part = (const Elf64_Phdr *)(FILE + file->e_phoff);
    uint64_t base = file->e_type == ET_DYN ? BASE : 0, headers = 0;
    heap = (DISK + 512UL * sectors + 4095) & ~4095UL;
    for (unsigned i = 0; i < file->e_phnum; i++) {
        if (part[i].p_type != PT_LOAD)
            continue;
        uint8_t *to = (uint8_t *)(base + part[i].p_vaddr);
        copy(to, (const void *)(FILE + part[i].p_offset), part[i].p_filesz);
        clear(to + part[i].p_filesz, part[i].p_memsz - part[i].p_filesz);
        if (file->e_phoff - part[i].p_offset < part[i].p_filesz)
            headers = (uint64_t)to + file->e_phoff - part[i].p_offset;
    }

    static uint64_t vector[128];
    static uint8_t random[16];
    unsigned n = 1, lists = 0;
    while (lists < 2) {
        char *end = line;
        while (*end != '\n')
            end++;
        *end = 0;
        if (end != line) {
            vector[n++] = (uint64_t)line;
            vector[0] += lists == 0;
        } else {
            vector[n++] = 0;
            lists++;
        }
        line = end + 1;
    }
    fill_randomly(random, sizeof random);
    const uint64_t auxiliary[][2] = {
        {AT_PHDR, headers}, {AT_PHENT, sizeof *part}, {AT_PHNUM, file->e_phnum},
        {AT_PAGESZ, 4096},  {AT_BASE, 0},             {AT_ENTRY, base + file->e_entry},
        {AT_SECURE, 0},     {AT_RANDOM, (uint64_t)random}, {AT_NULL, 0},
    };
    copy(vector + n, auxiliary, sizeof auxiliary);
    program_stack = (STACK_TOP - sizeof vector) & ~63UL;
    copy((void *)program_stack, vector, sizeof vector);
    return base + file->e_entry;
}
