// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirCRC32C.h"

#include <string.h>

// The tables take eight bytes a step. Table k holds the remainder of each byte value with k zero bytes behind it. A
// remainder is linear in the bits of its value. So each table is written as the remainders of its eight single bits
// (bit 0 first), and the preprocessor combines them for all 256 values.
#define ENTRY(n, b0, b1, b2, b3, b4, b5, b6, b7)                                                   \
    ((((n) & 1) ? b0 : 0u) ^ (((n) & 2) ? b1 : 0u) ^ (((n) & 4) ? b2 : 0u)                         \
        ^ (((n) & 8) ? b3 : 0u) ^ (((n) & 16) ? b4 : 0u) ^ (((n) & 32) ? b5 : 0u)                  \
        ^ (((n) & 64) ? b6 : 0u) ^ (((n) & 128) ? b7 : 0u))
#define ENTRIES4(n, ...)                                                                           \
    ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__),               \
        ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES16(n, ...)                                                                          \
    ENTRIES4(n, __VA_ARGS__), ENTRIES4((n) + 4, __VA_ARGS__), ENTRIES4((n) + 8, __VA_ARGS__),      \
        ENTRIES4((n) + 12, __VA_ARGS__)
#define ENTRIES64(n, ...)                                                                          \
    ENTRIES16(n, __VA_ARGS__), ENTRIES16((n) + 16, __VA_ARGS__),                                   \
        ENTRIES16((n) + 32, __VA_ARGS__), ENTRIES16((n) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES64(0, __VA_ARGS__), ENTRIES64(64, __VA_ARGS__), ENTRIES64(128, __VA_ARGS__),        \
            ENTRIES64(192, __VA_ARGS__)                                                            \
    }

static const uint32_t tables[8][256] = {
    TABLE(0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF,
          0x105EC76F, 0x20BD8EDE, 0x417B1DBC, 0x82F63B78),
    TABLE(0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8,
          0x3FC5F181, 0x7F8BE302, 0xFF17C604, 0xFBC3FAF9),
    TABLE(0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5,
          0x70A27D8A, 0xE144FB14, 0xC76580D9, 0x8B277743),
    TABLE(0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6,
          0xE964B13D, 0xD725148B, 0xABA65FE7, 0x52A0C93F),
    TABLE(0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91,
          0x8F2261D3, 0x1BA8B557, 0x37516AAE, 0x6EA2D55C),
    TABLE(0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F,
          0xC00C303E, 0x85F4168D, 0x0E045BEB, 0x1C08B7D6),
    TABLE(0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53,
          0x9C5BFAA6, 0x3D5B83BD, 0x7AB7077A, 0xF56E0EF4),
    TABLE(0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA,
          0x847609B4, 0x0D006599, 0x1A00CB32, 0x34019664),
};

uint32_t weir_crc32c_table(uint32_t seed, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint32_t crc = ~seed;
    for (; count >= 8; next += 8, count -= 8) {
        // Assembled byte by byte, so that the machine's byte order does not matter.
        const uint32_t first = crc
            ^ ((uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16
                | (uint32_t)next[3] << 24);
        crc = tables[7][first & 0xFF] ^ tables[6][first >> 8 & 0xFF]
            ^ tables[5][first >> 16 & 0xFF] ^ tables[4][first >> 24]
            ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^ tables[0][next[7]];
    }
    for (; count > 0; next++, count--) {
        crc = crc >> 8 ^ tables[0][(crc ^ *next) & 0xFF];
    }
    return ~crc;
}

#if defined(__x86_64__)

#include <nmmintrin.h>
#include <wmmintrin.h>

// The instruction has a latency of three cycles, and one can start in each cycle. So three adjacent pieces are
// processed at the same time, and their remainders are combined.
enum { LANE = 1024 };

// A remainder r of a piece with n bytes behind it contributes r x^8n. The carry-less product of two remainders has
// one power of x too many. The instruction, which reduces it to 32 bits, adds 32 more. So these constants are x^(8n
// - 33).
static const uint32_t behind_one_lane = 0x170076FAu, behind_two_lanes = 0xA51B6135u;

__attribute__((target("sse4.2"))) static inline uint64_t add_word(
    uint64_t crc, const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return _mm_crc32_u64(crc, word);
}

__attribute__((target("sse4.2,pclmul"))) static inline __m128i shifted(
    uint64_t crc, uint32_t distance) {
    return _mm_clmulepi64_si128(
        _mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi64_si128((int64_t)distance), 0);
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t crc32c_instruction(
    uint32_t seed, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t crc = (uint32_t)~seed;
    for (; count >= 3 * LANE; next += 3 * LANE, count -= 3 * LANE) {
        uint64_t second = 0, third = 0;
        for (size_t place = 0; place < LANE; place += 8) {
            crc = add_word(crc, next + place);
            second = add_word(second, next + LANE + place);
            third = add_word(third, next + 2 * LANE + place);
        }
        const __m128i moved = _mm_xor_si128(
            shifted(crc, behind_two_lanes), shifted(second, behind_one_lane));
        crc = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(moved)) ^ third;
    }
    for (; count >= 8; next += 8, count -= 8) {
        crc = add_word(crc, next);
    }
    uint32_t rest = (uint32_t)crc;
    for (; count > 0; next++, count--) {
        rest = _mm_crc32_u8(rest, *next);
    }
    return ~rest;
}

bool weir_crc32c_is_accelerated(void) {
    return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

#elif defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

static uint32_t crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint32_t crc = ~seed;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __crc32cd(crc, word);
    }
    for (; count > 0; next++, count--) {
        crc = __crc32cb(crc, *next);
    }
    return ~crc;
}

bool weir_crc32c_is_accelerated(void) { return true; }

#else

static uint32_t crc32c_instruction(uint32_t seed, const void *bytes, size_t count) {
    return weir_crc32c_table(seed, bytes, count);
}

bool weir_crc32c_is_accelerated(void) { return false; }

#endif

uint32_t weir_crc32c(uint32_t seed, const void *bytes, size_t count) {
    return weir_crc32c_is_accelerated() ? crc32c_instruction(seed, bytes, count)
                                        : weir_crc32c_table(seed, bytes, count);
}

// A remainder is a polynomial over GF(2) of degree below 32; bit 31 is the coefficient of x^0.
static uint32_t product(uint32_t left, uint32_t right) {
    uint32_t sum = 0;
    // Horner's rule, from the highest power of `left`, which is bit 0.
    for (int bit = 0; bit < 32; bit++) {
        sum = sum & 1 ? sum >> 1 ^ 0x82F63B78u : sum >> 1;
        if (left >> bit & 1) { sum ^= right; }
    }
    return sum;
}

uint32_t weir_crc32c_joined(uint32_t first, uint32_t second, uint64_t second_count) {
    // Each byte behind a piece multiplies its remainder by x^8. The inversions before and after each piece cancel
    // out.
    uint32_t shift = 1u << 31;
    uint32_t power = 1u << 23;
    for (; second_count > 0; second_count >>= 1) {
        if (second_count & 1) { shift = product(shift, power); }
        power = product(power, power);
    }
    return product(first, shift) ^ second;
}
