/* A Cortex-M4 under QEMU, which passes texts to the host by semihosting.
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "platform.h"

/* Of memory.ld. */
extern uint32_t stack_top[], stack_bottom[];

static long semihosting(long operation, const void *argument)
{
    register long r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

uint32_t *stack_end(void)
{
    return stack_bottom;
}

void write_text(const char *text)
{
    /* SYS_OPEN: the name of the console, mode "w" for standard output, length of the name. Each
     * call opens the same output. */
    const uintptr_t console[3] = {(uintptr_t)":tt", 4, 3};
    uintptr_t argument[3] = {(uintptr_t)semihosting(0x01, console), (uintptr_t)text, 0};
    while (text[argument[2]] != '\0') argument[2]++;
    semihosting(0x05, argument); /* SYS_WRITE */
}

_Noreturn void end(int status)
{
    /* SYS_EXIT_EXTENDED: ADP_Stopped_ApplicationExit and a status. */
    const uint32_t argument[2] = {0x20026, (uint32_t)status};
    for (;;) semihosting(0x20, argument);
}

_Noreturn void reset(void);
_Noreturn void reset(void)
{
    end(main());
}

static _Noreturn void fault(void)
{
    write_text("fault\n");
    end(1);
}

/* Stack pointer, reset, NMI, hard fault, memory, bus and usage faults. */
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    stack_top, (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
