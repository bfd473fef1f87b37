// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirZlib.h"

#include <limits.h>
#include <stdlib.h>

/// The structure `z_stream` of zlib.h.
typedef struct z_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *, unsigned int, unsigned int);
    void (*release)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
} z_stream;

enum { OK = 0, STREAM_END = 1, BUFFER_ERROR = -5, NO_FLUSH = 0, WINDOW_BITS = 15 };

struct weir_zlib_stream {
    z_stream stream;
};

/// The functions of the library; if it is loaded at run time, they are set once, before any use.
///
/// `inflateInit2_` takes the version of the header, whose first character must match the library's, and the
/// structure's size.
typedef struct zlib_calls {
    int (*begin)(z_stream *, int bits, const char *version, int size);
    int (*unpack)(z_stream *, int flush);
    int (*end)(z_stream *);
} zlib_calls;

#if defined(__linux__)

#include <pthread.h>

#include "CWeirLibrary.h"

static zlib_calls zlib;
static weir_library_report report;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define RESOLVE(field, name) \
    zlib.field = (__typeof__(zlib.field))weir_library_symbol(handle, name, &report); \
    if (zlib.field == NULL) return;

static void load(void) {
    void *handle = weir_library_load("libz.so.1", &report);
    if (handle == NULL) return;
    RESOLVE(begin, "inflateInit2_")
    RESOLVE(unpack, "inflate")
    RESOLVE(end, "inflateEnd")
}

bool weir_zlib_load(void) {
    pthread_once(&once, load);
    return report.state == WEIR_LIBRARY_READY;
}

#else

extern int inflateInit2_(z_stream *, int bits, const char *version, int size);
extern int inflate(z_stream *, int flush);
extern int inflateEnd(z_stream *);

static const zlib_calls zlib = {inflateInit2_, inflate, inflateEnd};

bool weir_zlib_load(void) { return true; }

#endif

weir_zlib_stream *weir_zlib_begin(weir_zlib_format format) {
    weir_zlib_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    int bits = WINDOW_BITS;
    if (format == WEIR_ZLIB_GZIP) bits += 16;
    if (format == WEIR_ZLIB_RAW) bits = -bits;
    int status = zlib.begin(&stream->stream, bits, "1", (int)sizeof(z_stream));
    if (status == OK) return stream;
    free(stream);
    return NULL;
}

weir_zlib_status weir_zlib_unpack(
    weir_zlib_stream *stream, const void *packed, size_t packed_count, size_t *consumed, void *room,
    size_t room_count, size_t *produced
) {
    z_stream *z = &stream->stream;
    unsigned int in = packed_count > UINT_MAX ? UINT_MAX : (unsigned int)packed_count;
    unsigned int out = room_count > UINT_MAX ? UINT_MAX : (unsigned int)room_count;
    z->next_in = packed;
    z->avail_in = in;
    z->next_out = room;
    z->avail_out = out;
    int status = zlib.unpack(z, NO_FLUSH);
    *consumed = in - z->avail_in;
    *produced = out - z->avail_out;
    z->next_in = NULL;
    z->next_out = NULL;
    if (status == STREAM_END) return WEIR_ZLIB_ENDED;
    // A buffer error means that no progress was possible; more bytes or more room will help.
    return status == OK || status == BUFFER_ERROR ? WEIR_ZLIB_GOES_ON : WEIR_ZLIB_BROKEN;
}

void weir_zlib_end(weir_zlib_stream *stream) {
    if (stream == NULL) return;
    zlib.end(&stream->stream);
    free(stream);
}
