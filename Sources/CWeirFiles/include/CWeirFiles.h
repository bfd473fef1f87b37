// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRFILES_H
#define CWEIRFILES_H

#include <stddef.h>
#include <stdint.h>

/// Copies bytes between two open files in the kernel, and shares their blocks if the file system can.
///
/// Returns the number of copied bytes; -1 with `errno`, which is `EOPNOTSUPP` if the system has no such call.
int64_t weir_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

#endif
