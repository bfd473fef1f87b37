// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRCRC32C_H
#define CWEIRCRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of some bytes, by the fastest means of this machine.
///
/// `seed` is 0 for the first bytes and the result so far for those that follow them: the checksum of
/// two pieces one after the other is the checksum of the whole.
uint32_t weir_crc32c(uint32_t seed, const void *bytes, size_t count);

/// The same from tables, on any machine.
uint32_t weir_crc32c_table(uint32_t seed, const void *bytes, size_t count);

/// The checksum of two pieces one after the other, from the checksum of each and the second one's size.
///
/// Takes time in proportion to the number of bits in the size: about a microsecond.
uint32_t weir_crc32c_joined(uint32_t first, uint32_t second, uint64_t second_count);

/// Whether `weir_crc32c` uses an instruction of the processor.
bool weir_crc32c_is_accelerated(void);

#endif
