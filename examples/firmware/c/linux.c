/* QEMU's user mode on RISC-V, which has the system calls of Linux.
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "platform.h"

enum { WRITE = 64, EXIT = 93, STACK_LEN = 65536 };

static long call(long number, long a, long b, long c)
{
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

uint32_t *stack_end(void)
{
    /* The emulator maps the whole stack. */
    return (uint32_t *)(((uintptr_t)__builtin_frame_address(0) - STACK_LEN) & ~(uintptr_t)15);
}

void write_text(const char *text)
{
    long len = 0;
    while (text[len] != '\0') len++;
    call(WRITE, 1, (long)text, len);
}

_Noreturn void end(int status)
{
    for (;;) call(EXIT, status, 0, 0);
}

__asm__(".globl _start\n_start:\n li ra, 0\n li fp, 0\n call main\n call end");
