// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRCRC32C_H
#define CWEIRCRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The CRC-32C (Castagnoli, RFC 3720 appendix B.4) of bytes, by the fastest method of this machine.
///
/// `seed` is 0 for the first bytes, and the result so far for the bytes behind them. So two calls for adjacent
/// pieces give the checksum of the whole.
uint32_t weir_crc32c(uint32_t seed, const void *bytes, size_t count);

/// The same checksum from tables, on any machine.
uint32_t weir_crc32c_table(uint32_t seed, const void *bytes, size_t count);

/// The checksum of two adjacent pieces, from the checksum of each and the size of the second.
///
/// Takes time in proportion to the number of bits in the size: about a microsecond.
uint32_t weir_crc32c_joined(uint32_t first, uint32_t second, uint64_t second_count);

/// Whether `weir_crc32c` uses an instruction of the processor.
bool weir_crc32c_is_accelerated(void);

#endif
