// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBAV_H
#define WEIR_LIBAV_H

#include <stddef.h>
#include <stdint.h>

#include "CWeirLibrary.h"

// FFmpeg's libavcodec, as much of it as is used: one decoder of sound, packet by packet. No header of FFmpeg is needed
// to build: calls.h declares the few functions and fields.

enum {
    /// The major versions of libavcodec that can be loaded: FFmpeg 5.1 to 9.
    WEIR_AV_OLDEST = 59,
    WEIR_AV_NEWEST = 63,
};

/// The libavcodec of the system.
typedef struct weir_av_library {
    weir_library_report report;
    /// The number in its soname, as in "libavcodec.so.59"; 0 if there is none.
    int major;
} weir_av_library;

/// Loads the newest known library that fits at the first call, and reports what became of it. Any thread may call.
///
/// Where none fits, the report is of the newest one that is there.
const weir_av_library *weir_av_load(void);

/// Reports as `weir_av_load` does, for libraries of other names, and leaves the loaded one alone: for tests.
///
/// `stem` is what stands in front of the major version, such as "/opt/lib/libavcodec.so.".
weir_av_library weir_av_try(const char *stem);

// Each of the following may be called only where the library is ready; a decoder is used by one thread at a time.

typedef enum weir_av_codec {
    WEIR_AV_MP1,
    WEIR_AV_MP2,
    WEIR_AV_MP3,
    WEIR_AV_AAC,
    WEIR_AV_VORBIS,
    WEIR_AV_OPUS,
    WEIR_AV_FLAC,
    WEIR_AV_ALAC,
    WEIR_AV_USAC,
} weir_av_codec;

/// How a sample is stored.
typedef enum weir_av_sample {
    WEIR_AV_UNKNOWN,
    WEIR_AV_UNSIGNED8,
    WEIR_AV_SIGNED16,
    WEIR_AV_SIGNED32,
    WEIR_AV_FLOAT32,
    WEIR_AV_FLOAT64,
} weir_av_sample;

/// What was decoded, where the library keeps it: valid until the next call with the decoder.
typedef struct weir_av_sound {
    /// One for each channel, or one for all.
    uint8_t *const *planes;
    weir_av_sample sample;
    int is_planar;
    int frame_count;
    int channel_count;
    /// A bit for each loudspeaker that there is a channel for, in their order, those of WAVE: 18 at most, and channels
    /// beyond them behind; 0 where the library does not say it.
    uint32_t channel_mask;
    int sample_rate;
} weir_av_sound;

/// An open decoder.
typedef struct weir_av_decoder weir_av_decoder;

/// Whether the library was built with a decoder for the codec.
int weir_av_has(weir_av_codec codec);

/// Opens a decoder that uses one thread and trims nothing.
///
/// `channel_count` is 0 if it is unknown, and so is `channel_mask`, which has as many bits. Returns a status: below 0, `decoder` is NULL.
int weir_av_open(
    weir_av_decoder **decoder, weir_av_codec codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
);

/// Frees a decoder; NULL is none.
void weir_av_close(weir_av_decoder *decoder);

/// Gives the decoder a packet, which is copied. Returns a status.
int weir_av_send(weir_av_decoder *decoder, const uint8_t *bytes, size_t count);

/// Takes what was decoded. Returns a status.
int weir_av_receive(weir_av_decoder *decoder, weir_av_sound *sound);

/// Forgets the packets before.
void weir_av_flush(weir_av_decoder *decoder);

/// Whether a status says that the decoder wants a packet before it gives sound.
int weir_av_wants_packet(int status);

/// Whether a status says that the decoder gives no more.
int weir_av_is_at_end(int status);

/// Whether a status says that there was no memory.
int weir_av_is_out_of_memory(int status);

/// Writes the library's words for a status; returns 0 if it has some.
int weir_av_words(int status, char *words, size_t size);

#endif
