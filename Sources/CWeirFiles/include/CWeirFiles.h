// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRFILES_H
#define CWEIRFILES_H

#include <stddef.h>
#include <stdint.h>

/// Copies bytes between two open files inside of the system, sharing their blocks where the file system can.
///
/// Returns how many were copied; -1 with `errno`, which is `EOPNOTSUPP` where the system has no such call.
int64_t weir_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

#endif
