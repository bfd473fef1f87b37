// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ZLIB_H
#define WEIR_ZLIB_H

#include <stdbool.h>
#include <stddef.h>

// The part of zlib that decodes. This header and zlib.c do not need zlib's headers: the structure and the functions
// that they declare have been the same since zlib 1.0.

/// Loads libz.so.1 at the first call, and returns whether it is usable.
///
/// On Apple's platforms the library is linked. Any thread may call.
bool weir_zlib_load(void);

/// The format of the packed bytes.
typedef enum weir_zlib_format {
    /// A member of a gzip file (RFC 1952).
    WEIR_ZLIB_GZIP,
    /// The stream of RFC 1950, which HTTP calls deflate.
    WEIR_ZLIB_ZLIB,
    /// The bare stream of RFC 1951, which some servers call deflate.
    WEIR_ZLIB_RAW,
} weir_zlib_format;

/// The result of a call.
typedef enum weir_zlib_status {
    /// The stream needs more bytes, or more room.
    WEIR_ZLIB_GOES_ON,
    /// The stream has ended, and its checksum is correct.
    WEIR_ZLIB_ENDED,
    /// The bytes are not in this format, or are damaged.
    WEIR_ZLIB_BROKEN,
} weir_zlib_status;

/// A stream that is being unpacked; only one thread may use it at a time.
typedef struct weir_zlib_stream weir_zlib_stream;

/// Begins a stream if the library is loaded; NULL if there is no memory.
weir_zlib_stream *weir_zlib_begin(weir_zlib_format format);

/// Unpacks as many bytes as input and room allow, and returns the used amount of both.
weir_zlib_status weir_zlib_unpack(
    weir_zlib_stream *stream, const void *packed, size_t packed_count, size_t *consumed, void *room,
    size_t room_count, size_t *produced
);

/// Releases a stream; NULL is allowed.
void weir_zlib_end(weir_zlib_stream *stream);

#endif
