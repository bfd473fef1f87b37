// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ZLIB_H
#define WEIR_ZLIB_H

#include <stdbool.h>
#include <stddef.h>

// As much of zlib as takes a coding off bytes. Nothing here and in zlib.c depends on its headers: the structure and the
// functions that are declared there have been the same since zlib 1.0.

/// Loads libz.so.1 at the first call, and says whether it can be used; on Apple's platforms it is linked. Any thread may
/// call.
bool weir_zlib_load(void);

/// How the packed bytes begin.
typedef enum weir_zlib_format {
    /// A member of a gzip file (RFC 1952).
    WEIR_ZLIB_GZIP,
    /// The stream of RFC 1950, which HTTP calls deflate.
    WEIR_ZLIB_ZLIB,
    /// The bare stream of RFC 1951, which some servers call deflate.
    WEIR_ZLIB_RAW,
} weir_zlib_format;

/// What a call came to.
typedef enum weir_zlib_status {
    /// Give it more bytes, or more room.
    WEIR_ZLIB_GOES_ON,
    /// The stream has ended, and its checksum is right.
    WEIR_ZLIB_ENDED,
    /// The bytes are not of this format, or damaged.
    WEIR_ZLIB_BROKEN,
} weir_zlib_status;

/// One stream that is unpacked; used by one thread at a time.
typedef struct weir_zlib_stream weir_zlib_stream;

/// Begins a stream, where the library is ready; NULL where there is no memory.
weir_zlib_stream *weir_zlib_begin(weir_zlib_format format);

/// Unpacks as much as there are bytes and room, and says how many of both were used.
weir_zlib_status weir_zlib_unpack(
    weir_zlib_stream *stream, const void *packed, size_t packed_count, size_t *consumed, void *room,
    size_t room_count, size_t *produced
);

/// Gives everything back; NULL is fine.
void weir_zlib_end(weir_zlib_stream *stream);

#endif
