// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CWeirFiles.h"

#include <errno.h>
#include <unistd.h>

int64_t weir_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
#if defined(__linux__)
    off_t source = (off_t)from_offset;
    off_t target = (off_t)to_offset;
    return copy_file_range(from, &source, to, &target, count, 0);
#else
    (void)from, (void)from_offset, (void)to, (void)to_offset, (void)count;
    errno = EOPNOTSUPP;
    return -1;
#endif
}
