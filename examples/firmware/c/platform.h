/* What the program needs from the machine. SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stddef.h>
#include <stdint.h>

/* Lowest address that the stack may reach. */
uint32_t *stack_end(void);

/* Writes a text to the standard output of the host. */
void write_text(const char *text);

/* Ends the program with status 0 or 1. */
_Noreturn void end(int status);

int main(void);

#endif
