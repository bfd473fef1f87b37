// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRPAGE_H
#define CWEIRPAGE_H

#include <stddef.h>

/// A file of the page, as it was when the program was built.
typedef struct {
    /// Its name in the folder of the page.
    const char *name;
    const unsigned char *bytes;
    size_t count;
} weir_page_file;

/// The file at an index from 0; NULL after the last file.
const weir_page_file *weir_page_file_at(size_t index);

#endif
