// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBAV_H
#define WEIR_LIBAV_H

#include <stddef.h>
#include <stdint.h>

#include "CWeirLibrary.h"

// The part of FFmpeg's libavcodec that Weir uses: one audio decoder, packet by packet. The build needs no FFmpeg
// header: calls.h declares the few functions and fields.

enum {
    /// The major versions of libavcodec that can be loaded: FFmpeg 5.1 to 9.
    WEIR_AV_OLDEST = 59,
    WEIR_AV_NEWEST = 63,
};

/// The system's libavcodec.
typedef struct weir_av_library {
    weir_library_report report;
    /// The number in its soname, such as 59 in "libavcodec.so.59"; 0 if no library was found.
    int major;
} weir_av_library;

/// Loads the newest known library that fits at the first call, and reports the result. Any thread may call.
///
/// When no library fits, the report describes the newest known one that is installed, or else an unknown one.
const weir_av_library *weir_av_load(void);

/// Reports as `weir_av_load` does, for libraries of other names, and does not change the loaded library. For tests.
///
/// `stem` is the part of the name before the major version, such as "/opt/lib/libavcodec.so.".
weir_av_library weir_av_try(const char *stem);

// Call the following functions only when the library is ready. Only one thread at a time may use a decoder.

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

/// Decoded samples in the library's own memory, valid until the next call with the decoder.
typedef struct weir_av_sound {
    /// One plane for each channel, or one plane for all.
    uint8_t *const *planes;
    weir_av_sample sample;
    int is_planar;
    int frame_count;
    int channel_count;
    /// A bit for each loudspeaker that has a channel, in WAVE's order; 0 when the library gives no layout.
    ///
    /// There are 18 bits at most. Other channels follow these.
    uint32_t channel_mask;
    int sample_rate;
} weir_av_sound;

/// An open decoder.
typedef struct weir_av_decoder weir_av_decoder;

/// Whether the library was built with a decoder for the codec.
int weir_av_has(weir_av_codec codec);

/// Opens a decoder that uses one thread and trims nothing.
///
/// `channel_count` and `channel_mask` are 0 when they are unknown; the mask has as many bits as there are channels.
/// Returns a status; when the status is below 0, `decoder` is NULL.
int weir_av_open(
    weir_av_decoder **decoder, weir_av_codec codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
);

/// Frees a decoder; NULL is allowed.
void weir_av_close(weir_av_decoder *decoder);

/// Sends a packet to the decoder, which copies it. Returns a status.
int weir_av_send(weir_av_decoder *decoder, const uint8_t *bytes, size_t count);

/// Receives decoded sound. Returns a status.
int weir_av_receive(weir_av_decoder *decoder, weir_av_sound *sound);

/// Discards the decoder's state from earlier packets.
void weir_av_flush(weir_av_decoder *decoder);

/// Whether a status says that the decoder needs a packet before it gives sound.
int weir_av_wants_packet(int status);

/// Whether a status says that the decoder is at its end.
int weir_av_is_at_end(int status);

/// Whether a status says that memory ran out.
int weir_av_is_out_of_memory(int status);

/// Writes the library's message for a status; returns 0 if the library has one.
int weir_av_words(int status, char *words, size_t size);

#endif
