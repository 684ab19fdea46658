// Encoded length and decoding of signatures: header, nonce, then s2 in a variable-length code. The
// code word of a coefficient is its sign, the low seven bits of the magnitude, then the rest of the
// magnitude in unary, most significant bit first.
//
// Decoding is as strict as in `falcon-core/src/codec`: it accepts one encoding of a signature only.
#pragma once

#include "hash.h"

namespace falcon {

constexpr unsigned BODY = 1 + NONCE_LEN;
constexpr unsigned MAX_MAGNITUDE = 2047;
// Longest run of zeros in the unary part of a code word.
constexpr unsigned MAX_RUN = MAX_MAGNITUDE >> 7;
// Bits of the shortest code word.
constexpr unsigned MIN_BITS = 9;

template <unsigned LOGN> FALCON_DEVICE constexpr uint8_t header() { return 0x30 + LOGN; }

FALCON_DEVICE uint32_t magnitude_of(int32_t s) { return uint32_t(s < 0 ? -s : s); }

// Number of bits of the code word of `s`. If there is none, more bits than any signature may have.
FALCON_DEVICE uint32_t code_bits(int32_t s) {
    const uint32_t magnitude = magnitude_of(s);
    return FALCON_SELECT(magnitude > MAX_MAGNITUDE, uint32_t(1) << 20, MIN_BITS + (magnitude >> 7));
}

// Kernel: accepts short vectors whose signature has at most `batch.signature_limit` bytes. Lists
// the jobs of all other vectors, to be tried again. Skips jobs that `sign` has not decided. The
// host encodes the accepted vectors. Unit = slot.
template <unsigned LOGN, unsigned W> FALCON_DEVICE void accept(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    if (unit.index >= batch.count) return;
    const uint64_t job = job_of(batch, unit.index);
    const bool is_short = stands_at(batch, job, STATUS_SHORT);
    if (!is_short && !stands_at(batch, job, STATUS_LONG)) return;
    const int16_t *s2 = batch.s2 + job * N;
    const uint64_t bits = Group<W>::sum(N, [&](unsigned i) { return code_bits(s2[i]); });
    const bool accepted = is_short && FALCON_REVEAL(BODY + (bits + 7) / 8 <= batch.signature_limit);
    Group<W>::each(1, [&](unsigned) {
        if (accepted) {
            batch.status[job] = STATUS_DONE;
            fetch_add(batch.counts + 1, 1);
        } else {
            batch.status[job] = STATUS_REDO;
            // If the counts were not zeroed, the place may be beyond the end of the list. The host
            // notices that, since the sum of the counts is wrong.
            const uint32_t place = fetch_add(batch.counts, 1);
            if (place < batch.count) batch.redo[place] = uint32_t(job);
        }
    });
}

// Reads bits from bytes, most significant bit first, a word at a time.
struct Bits {
    const uint8_t *bytes;
    // Index of the next byte to read, and the number of bytes.
    uint32_t at, length;
    // Bits that were read but not taken yet, from the highest bit down, then zeros; their number.
    uint64_t window;
    unsigned held;

    FALCON_DEVICE Bits(const uint8_t *bytes, uint32_t length) : bytes(bytes), at(0), length(length), window(0), held(0) {
        // Reads up to three bytes, so that the next one begins a word. They must exist.
        while (reinterpret_cast<uintptr_t>(bytes + at) % 4 != 0) append(8, bytes[at]);
    }

    FALCON_DEVICE void append(unsigned bits, uint32_t x) {
        window |= uint64_t(x) << (64 - bits - held);
        held += bits;
        at += bits / 8;
    }
    // Makes sure that the window has at least 32 bits, or all that are left.
    FALCON_DEVICE void ensure() {
        if (held >= 32) return;
        if (at + 4 <= length) {
            append(32, big_endian(read(reinterpret_cast<const uint32_t *>(bytes + at))));
        } else {
            while (at < length) append(8, bytes[at]);
        }
    }
    FALCON_DEVICE void drop(unsigned bits) {
        window <<= bits;
        held -= bits;
    }
};

// Decodes s2 from `length` bytes, at least three. If `padded`, zero bytes may follow the last code
// word; otherwise it must end in the last byte. False if the bytes are malformed.
template <unsigned LOGN> FALCON_DEVICE bool decompress(const uint8_t *bytes, uint32_t length, bool padded, int16_t *s2) {
    constexpr unsigned N = 1u << LOGN;
    Bits bits(bytes, length);
    Eights out{reinterpret_cast<uint16_t *>(s2)};
    for (unsigned i = 0; i < N; ++i) {
        bits.ensure();
        const uint32_t top = uint32_t(bits.window >> 32), sign_and_low = top >> 24, unary = top << 8;
        if (unary == 0) return false;
        const unsigned run = leading_zeros(unary);
        if (run > MAX_RUN || MIN_BITS + run > bits.held) return false;
        bits.drop(MIN_BITS + run);
        const int32_t magnitude = int32_t((sign_and_low & 127) | run << 7);
        const bool negative = sign_and_low >> 7;
        if (negative && magnitude == 0) return false;
        out.put(uint16_t(negative ? -magnitude : magnitude));
    }
    // Without padding, the last code word ends in the last byte. All bits after it are zero.
    if (!padded && bits.at - bits.held / 8 != length) return false;
    if (bits.window != 0) return false;
    for (uint32_t at = bits.at; at < length; ++at) {
        if (bytes[at] != 0) return false;
    }
    return true;
}

// Kernel: decodes canonical bytes of signatures to nonces and s2, without verifying them. Unit =
// slot.
template <unsigned LOGN> FALCON_DEVICE void unpack(const Batch &batch, Unit unit) {
    constexpr unsigned N = 1u << LOGN;
    constexpr uint32_t PADDED_LEN = Parameters<LOGN>::PADDED_LEN;
    if (unit.index >= batch.count) return;
    const uint64_t job = job_of(batch, unit.index);
    if (!stands_at(batch, job, STATUS_NONE)) return;
    const uint8_t *bytes = batch.signatures + job * batch.signature_stride;
    const uint32_t length = batch.signature_lengths[job];
    // If the length is not possible, no byte is read.
    const bool whole = length >= PADDED_LEN && length <= batch.signature_stride;
    uint8_t *nonce = batch.nonces + job * NONCE_LEN;
    for (unsigned i = 0; i < NONCE_LEN; ++i) nonce[i] = whole ? bytes[1 + i] : uint8_t(0);
    const bool read = whole && bytes[0] == header<LOGN>() &&
                      decompress<LOGN>(bytes + BODY, length - BODY, length == PADDED_LEN, batch.s2 + job * N);
    batch.status[job] = read ? STATUS_GIVEN : STATUS_MALFORMED;
}

} // namespace falcon
