// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBAV_CALLS_H
#define WEIR_LIBAV_CALLS_H

#include <stddef.h>
#include <stdint.h>

// Weir's own declarations of the few functions, constants and fields of FFmpeg that it uses. The build needs no
// FFmpeg header. They are the same in libavcodec 59 (FFmpeg 5.1), 60 (6), 61 (7), 62 (8) and 63 (9), with libavutil
// 57 to 61. A test compares them with the installed headers.
//
// Weir uses an option or a function wherever FFmpeg offers one. It reads or writes only the fields below at an
// offset. FFmpeg adds fields at the end of a structure within a major version.

struct AVChannelLayout;
struct AVCodec;
struct AVCodecContext;
struct AVCodecParameters;
struct AVDictionary;
struct AVFrame;
struct AVPacket;

/// The members of AVChannelLayout, 24 bytes.
struct weir_av_layout {
    /// WEIR_AV_ORDER_NATIVE, or another order; in another order `mask` has another meaning.
    int order;
    int channel_count;
    uint64_t mask;
    void *opaque;
};

enum {
    /// AVCodecParameters.extradata, a pointer to memory from av_malloc.
    WEIR_AV_PARAMETERS_EXTRADATA = 16,
    /// AVCodecParameters.extradata_size, an int.
    WEIR_AV_PARAMETERS_EXTRADATA_SIZE = 24,
    /// AVFrame.linesize, an int for each plane; for audio the first one holds for all planes.
    WEIR_AV_FRAME_PLANE_SIZE = 64,
    /// AVFrame.extended_data, a pointer to pointers to planes.
    WEIR_AV_FRAME_PLANES = 96,
    /// AVFrame.nb_samples, an int.
    WEIR_AV_FRAME_COUNT = 112,
    /// AVFrame.format, an int.
    WEIR_AV_FRAME_FORMAT = 116,
};

/// The values of AVCodecID that Weir uses.
enum {
    WEIR_AV_ID_MP2 = 0x15000,
    WEIR_AV_ID_MP3 = 0x15001,
    WEIR_AV_ID_AAC = 0x15002,
    WEIR_AV_ID_VORBIS = 0x15005,
    WEIR_AV_ID_FLAC = 0x1500C,
    WEIR_AV_ID_ALAC = 0x15010,
    WEIR_AV_ID_MP1 = 0x1502A,
    WEIR_AV_ID_OPUS = 0x1503C,
};

/// AVSampleFormat, as far as Weir uses it: five interleaved formats, then the same five with a plane for each channel.
enum {
    WEIR_AV_FORMAT_U8,
    WEIR_AV_FORMAT_S16,
    WEIR_AV_FORMAT_S32,
    WEIR_AV_FORMAT_FLT,
    WEIR_AV_FORMAT_DBL,
    WEIR_AV_FORMAT_U8P,
    WEIR_AV_FORMAT_S16P,
    WEIR_AV_FORMAT_S32P,
    WEIR_AV_FORMAT_FLTP,
    WEIR_AV_FORMAT_DBLP,
};

enum {
    WEIR_AV_ORDER_NATIVE = 1,
    /// How many zero bytes follow every input.
    WEIR_AV_PADDING = 64,
    /// The log level at which the library writes nothing.
    WEIR_AV_QUIET = -8,
    /// "EOF " as a negative number of four bytes.
    WEIR_AV_END = -0x20464F45,
    /// F8 "DEC", as a negative number of four bytes.
    WEIR_AV_NO_DECODER = -0x434544F8,
};

/// Every function that Weir calls: CALL(result, name, (parameters)).
///
/// Weir looks all of them up through libavcodec. So libavutil's functions come from the libavutil that this
/// libavcodec uses.
#define WEIR_AV_CALLS(CALL) \
    CALL(unsigned, avcodec_version, (void)) \
    CALL(unsigned, avutil_version, (void)) \
    CALL(const struct AVCodec *, avcodec_find_decoder, (unsigned)) \
    CALL(struct AVCodecContext *, avcodec_alloc_context3, (const struct AVCodec *)) \
    CALL(void, avcodec_free_context, (struct AVCodecContext **)) \
    CALL(int, avcodec_open2, (struct AVCodecContext *, const struct AVCodec *, struct AVDictionary **)) \
    CALL(int, avcodec_send_packet, (struct AVCodecContext *, const struct AVPacket *)) \
    CALL(int, avcodec_receive_frame, (struct AVCodecContext *, struct AVFrame *)) \
    CALL(void, avcodec_flush_buffers, (struct AVCodecContext *)) \
    CALL(struct AVCodecParameters *, avcodec_parameters_alloc, (void)) \
    CALL(void, avcodec_parameters_free, (struct AVCodecParameters **)) \
    CALL(int, avcodec_parameters_from_context, (struct AVCodecParameters *, const struct AVCodecContext *)) \
    CALL(int, avcodec_parameters_to_context, (struct AVCodecContext *, const struct AVCodecParameters *)) \
    CALL(int, av_opt_set, (void *, const char *, const char *, int)) \
    CALL(int, av_opt_set_int, (void *, const char *, int64_t, int)) \
    CALL(int, av_opt_get_int, (void *, const char *, int, int64_t *)) \
    CALL(int, av_opt_set_chlayout, (void *, const char *, const struct AVChannelLayout *, int)) \
    CALL(int, av_opt_get_chlayout, (void *, const char *, int, struct AVChannelLayout *)) \
    CALL(void, av_channel_layout_default, (struct AVChannelLayout *, int)) \
    CALL(int, av_channel_layout_from_mask, (struct AVChannelLayout *, uint64_t)) \
    CALL(void, av_channel_layout_uninit, (struct AVChannelLayout *)) \
    CALL(struct AVPacket *, av_packet_alloc, (void)) \
    CALL(void, av_packet_free, (struct AVPacket **)) \
    CALL(int, av_packet_from_data, (struct AVPacket *, uint8_t *, int)) \
    CALL(void, av_packet_unref, (struct AVPacket *)) \
    CALL(struct AVFrame *, av_frame_alloc, (void)) \
    CALL(void, av_frame_free, (struct AVFrame **)) \
    CALL(void, av_frame_unref, (struct AVFrame *)) \
    CALL(void *, av_malloc, (size_t)) \
    CALL(void, av_free, (void *)) \
    CALL(int, av_strerror, (int, char *, size_t)) \
    CALL(void, av_log_set_level, (int))

#define WEIR_AV_DECLARE(result, name, parameters) result (*name) parameters;

/// The functions of the loaded library.
typedef struct weir_av_calls {
    WEIR_AV_CALLS(WEIR_AV_DECLARE)
} weir_av_calls;

/// Written once, by the first `weir_av_load`, before any use.
extern weir_av_calls weir_av __attribute__((visibility("hidden")));

#endif
