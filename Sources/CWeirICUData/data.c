// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// An empty data table for ICU, in place of the 34 MB table of Foundation's own ICU.
//
// A program that links Swift's library statically takes symbols from its own objects first, so the library's table
// is not linked. No part of the program needs that table. No text depends on a language, times are ISO 8601, and
// Swift's standard library normalizes and compares strings. Without the table Foundation knows only the time zone
// GMT. Formatters with a locale, Foundation's regular expressions and host names beyond ASCII fail.
// `Scripts/check-tree` refuses them in the modules of the program.
//
// The name contains the version of ICU. With a toolchain of another version this table is unused and the program is
// 34 MB larger. The topic package of the checks then fails, and the name must be changed.
//
//  0  2  size of the header, 32      4  2  size of the next fields, 20     8  1  big-endian   9  1  ASCII
//  2  2  magic 0xDA 0x27             6  2  reserved                       10  1  bytes of a UChar
// 12  4  format "ToCP"              16  4  version of the format          20  4  version of the data
// 32  4  count of entries, 0
#if defined(__linux__)

#include <stdint.h>

struct table {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size;
    uint16_t reserved;
    uint8_t is_big_endian;
    uint8_t charset;
    uint8_t unit_size;
    uint8_t reserved_byte;
    uint8_t format[4];
    uint8_t format_version[4];
    uint8_t data_version[4];
    uint8_t padding[8];
    uint32_t count;
    uint32_t end[3];
};

_Static_assert(__builtin_offsetof(struct table, count) == 32, "the header has 32 bytes");

// Hidden: a debug build, which loads Foundation as a library, keeps that library's table.
__attribute__((visibility("hidden"))) extern const struct table icudt76_dat;

const struct table icudt76_dat __attribute__((aligned(16))) = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info_size = 20,
    .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .unit_size = 2,
    .format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};

#endif
