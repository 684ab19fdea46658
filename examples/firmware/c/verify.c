/* Verifies a known signature with falconsign, without an allocator: what a boot loader contains.
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "falconsign.h"
#include "platform.h"
#include "vectors.h" /* verifying_key, message, signature */

enum { PATTERN = 0x5afe57ac, MARGIN = 64 };

static int verify(const uint8_t *text, size_t len)
{
    return falconsign_verify_encoded(verifying_key, sizeof verifying_key, text, len,
                                     FALCONSIGN_COMPRESSED, signature, sizeof signature);
}

static void write_number(const char *name, uint32_t number)
{
    char digits[12] = {0};
    int i = 11;
    do {
        digits[--i] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    write_text(name);
    write_text(digits + i);
    write_text("\n");
}

/* Paints the free stack before the call, and sees how far the call has written. */
static __attribute__((noinline)) uint32_t stack_of_a_verification(int *status)
{
    volatile uint32_t *const bottom = stack_end();
    const uintptr_t top = (uintptr_t)__builtin_frame_address(0);
    const size_t words = (top - (uintptr_t)bottom) / 4 - MARGIN;
    size_t untouched = 0;
    for (size_t i = 0; i < words; i++) bottom[i] = PATTERN;
    *status = verify(message, sizeof message);
    while (untouched < words && bottom[untouched] == PATTERN) untouched++;
    return (uint32_t)(top - (uintptr_t)(bottom + untouched));
}

int main(void)
{
    int known, forged;
    write_number("verify_c_stack_bytes=", stack_of_a_verification(&known));
    forged = verify(message, sizeof message - 1);
    write_text(known == FALCONSIGN_OK ? "known signature: accepted\n" : "known signature: REFUSED\n");
    write_text(forged == FALCONSIGN_INVALID_SIGNATURE ? "another message: refused\n"
                                                      : "another message: ACCEPTED\n");
    return known != FALCONSIGN_OK || forged != FALCONSIGN_INVALID_SIGNATURE;
}
