// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirLibav.h"

#if defined(__linux__)

#include <errno.h>
#include <string.h>

// The layouts of the library's structures come from its own headers, and the library of exactly these headers is
// loaded: its soname has their major version, within which FFmpeg only adds fields. Headers of FFmpeg 5.1 and newer
// are used; fedora keeps them where C_INCLUDE_PATH must point. Headers that are installed later change this file's
// object only when the file is compiled again: `touch` it.
#if defined(__has_include)
#if __has_include(<libavcodec/avcodec.h>) && __has_include(<libavutil/avutil.h>)
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#define WEIR_OLDEST_AVCODEC AV_VERSION_INT(59, 37, 100)
#if LIBAVCODEC_VERSION_INT >= WEIR_OLDEST_AVCODEC
#define WEIR_HAS_LIBAV 1
#endif
#endif
#endif

#ifdef WEIR_HAS_LIBAV

#include <pthread.h>
#include <stdlib.h>

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#define SONAME "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR)

/// Everything that is called. All of it is looked up through libavcodec, so that libavutil's functions are those of
/// the libavutil that this libavcodec uses.
#define CALLS(CALL) \
    CALL(avcodec_version) \
    CALL(avutil_version) \
    CALL(avcodec_find_decoder) \
    CALL(avcodec_alloc_context3) \
    CALL(avcodec_free_context) \
    CALL(avcodec_open2) \
    CALL(avcodec_send_packet) \
    CALL(avcodec_receive_frame) \
    CALL(avcodec_flush_buffers) \
    CALL(av_new_packet) \
    CALL(av_packet_alloc) \
    CALL(av_packet_free) \
    CALL(av_packet_unref) \
    CALL(av_frame_alloc) \
    CALL(av_frame_free) \
    CALL(av_frame_unref) \
    CALL(av_channel_layout_default) \
    CALL(av_channel_layout_from_mask) \
    CALL(av_sample_fmt_is_planar) \
    CALL(av_mallocz) \
    CALL(av_strerror) \
    CALL(av_log_set_level)

#define DECLARE(name) __typeof__(&name) name;
#define RESOLVE(name) \
    av.name = (__typeof__(&name))weir_library_symbol(handle, #name, &library.report); \
    if (av.name == NULL) return;

/// Written once, before any use.
static struct { CALLS(DECLARE) } av;
static weir_av_library library = {.soname = SONAME, .major = LIBAVCODEC_VERSION_MAJOR};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = weir_library_load(SONAME, &library.report);
    if (handle == NULL) return;
    CALLS(RESOLVE)
    unsigned version = av.avcodec_version(), utility = av.avutil_version();
    // Older ones of the same major lack the fields for channels that these headers have.
    if (AV_VERSION_MAJOR(version) != LIBAVCODEC_VERSION_MAJOR || version < WEIR_OLDEST_AVCODEC) {
        return weir_library_refuse(
            &library.report, "it is version %u.%u.%u, and %s or newer is needed",
            AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version), AV_VERSION_MICRO(version),
            LIBAVCODEC_VERSION_MAJOR == 59 ? "59.37.100" : TEXT(LIBAVCODEC_VERSION_MAJOR)
        );
    }
    if (AV_VERSION_MAJOR(utility) != LIBAVUTIL_VERSION_MAJOR) {
        return weir_library_refuse(
            &library.report, "it uses libavutil %u, and was to use libavutil %d",
            AV_VERSION_MAJOR(utility), LIBAVUTIL_VERSION_MAJOR
        );
    }
    // The library would write to the standard error of the program.
    av.av_log_set_level(AV_LOG_QUIET);
}

const weir_av_library *weir_av_load(void) {
    pthread_once(&once, load);
    return &library;
}

/// Owns the three; freed by `weir_av_close` alone.
struct weir_av_decoder {
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
};

static const AVCodec *find(weir_av_codec codec) {
    switch (codec) {
    case WEIR_AV_MP1: return av.avcodec_find_decoder(AV_CODEC_ID_MP1);
    case WEIR_AV_MP2: return av.avcodec_find_decoder(AV_CODEC_ID_MP2);
    case WEIR_AV_MP3: return av.avcodec_find_decoder(AV_CODEC_ID_MP3);
    case WEIR_AV_AAC: return av.avcodec_find_decoder(AV_CODEC_ID_AAC);
    case WEIR_AV_VORBIS: return av.avcodec_find_decoder(AV_CODEC_ID_VORBIS);
    case WEIR_AV_OPUS: return av.avcodec_find_decoder(AV_CODEC_ID_OPUS);
    case WEIR_AV_FLAC: return av.avcodec_find_decoder(AV_CODEC_ID_FLAC);
    case WEIR_AV_ALAC: return av.avcodec_find_decoder(AV_CODEC_ID_ALAC);
    case WEIR_AV_USAC:
        // From FFmpeg 7.1 on; older ones take the configuration, and then refuse every packet.
        return av.avcodec_version() >= AV_VERSION_INT(61, 19, 100)
            ? av.avcodec_find_decoder(AV_CODEC_ID_AAC) : NULL;
    }
    return NULL;
}

int weir_av_has(weir_av_codec codec) { return find(codec) != NULL; }

static int set_up(
    weir_av_decoder *decoder, const AVCodec *codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
) {
    decoder->packet = av.av_packet_alloc();
    decoder->frame = av.av_frame_alloc();
    AVCodecContext *context = decoder->context = av.avcodec_alloc_context3(codec);
    if (decoder->packet == NULL || decoder->frame == NULL || context == NULL) return AVERROR(ENOMEM);
    context->thread_count = 1;
    // What is not to be heard is cut by the caller, who knows it from the container.
    context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
    context->sample_rate = sample_rate;
    if (channel_mask != 0) {
        int status = av.av_channel_layout_from_mask(&context->ch_layout, channel_mask);
        if (status < 0) return status;
    } else if (channel_count > 0) {
        av.av_channel_layout_default(&context->ch_layout, channel_count);
    }
    if (extradata_size > 0) {
        if (extradata_size >= 1 << 24) return AVERROR(ENOMEM);
        // The context frees it; decoders read beyond its end.
        context->extradata = av.av_mallocz(extradata_size + AV_INPUT_BUFFER_PADDING_SIZE);
        if (context->extradata == NULL) return AVERROR(ENOMEM);
        memcpy(context->extradata, extradata, extradata_size);
        context->extradata_size = (int)extradata_size;
    }
    return av.avcodec_open2(context, codec, NULL);
}

int weir_av_open(
    weir_av_decoder **decoder, weir_av_codec codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
) {
    *decoder = NULL;
    const AVCodec *found = find(codec);
    if (found == NULL) return AVERROR_DECODER_NOT_FOUND;
    weir_av_decoder *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return AVERROR(ENOMEM);
    int status = set_up(
        opened, found, sample_rate, channel_count, channel_mask, extradata, extradata_size
    );
    if (status < 0) {
        weir_av_close(opened);
        return status;
    }
    *decoder = opened;
    return 0;
}

void weir_av_close(weir_av_decoder *decoder) {
    if (decoder == NULL) return;
    av.avcodec_free_context(&decoder->context);
    av.av_packet_free(&decoder->packet);
    av.av_frame_free(&decoder->frame);
    free(decoder);
}

int weir_av_send(weir_av_decoder *decoder, const uint8_t *bytes, size_t count) {
    if (count == 0 || count > INT32_MAX - AV_INPUT_BUFFER_PADDING_SIZE) return AVERROR(EINVAL);
    // The library's own memory, with the zeros behind it that decoders read beyond the end.
    int status = av.av_new_packet(decoder->packet, (int)count);
    if (status < 0) return status;
    memcpy(decoder->packet->data, bytes, count);
    status = av.avcodec_send_packet(decoder->context, decoder->packet);
    av.av_packet_unref(decoder->packet);
    return status;
}

static weir_av_sample sample_of(int format) {
    switch (format) {
    case AV_SAMPLE_FMT_U8:
    case AV_SAMPLE_FMT_U8P: return WEIR_AV_UNSIGNED8;
    case AV_SAMPLE_FMT_S16:
    case AV_SAMPLE_FMT_S16P: return WEIR_AV_SIGNED16;
    case AV_SAMPLE_FMT_S32:
    case AV_SAMPLE_FMT_S32P: return WEIR_AV_SIGNED32;
    case AV_SAMPLE_FMT_FLT:
    case AV_SAMPLE_FMT_FLTP: return WEIR_AV_FLOAT32;
    case AV_SAMPLE_FMT_DBL:
    case AV_SAMPLE_FMT_DBLP: return WEIR_AV_FLOAT64;
    default: return WEIR_AV_UNKNOWN;
    }
}

/// The first 18 bits of the library's native order are those of WAVE, which has none for the others.
static uint32_t mask_of(const AVChannelLayout *layout) {
    return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask & 0x3FFFF : 0;
}

int weir_av_receive(weir_av_decoder *decoder, weir_av_sound *sound) {
    AVFrame *frame = decoder->frame;
    av.av_frame_unref(frame);
    int status = av.avcodec_receive_frame(decoder->context, frame);
    if (status < 0) return status;
    *sound = (weir_av_sound){
        .planes = frame->extended_data,
        .sample = sample_of(frame->format),
        .is_planar = av.av_sample_fmt_is_planar(frame->format),
        .frame_count = frame->nb_samples,
        .channel_count = frame->ch_layout.nb_channels,
        .channel_mask = mask_of(&frame->ch_layout),
        .sample_rate = frame->sample_rate,
    };
    return 0;
}

void weir_av_flush(weir_av_decoder *decoder) { av.avcodec_flush_buffers(decoder->context); }

int weir_av_wants_packet(int status) { return status == AVERROR(EAGAIN); }

int weir_av_is_at_end(int status) { return status == AVERROR_EOF; }

int weir_av_is_out_of_memory(int status) { return status == AVERROR(ENOMEM); }

int weir_av_words(int status, char *words, size_t size) { return av.av_strerror(status, words, size); }

#else

// Built without the library: it is never ready, and nothing else is called.

static const weir_av_library library = {
    .report = {
        .state = WEIR_LIBRARY_NOT_BUILT_IN,
#ifdef WEIR_OLDEST_AVCODEC
        .detail = "the headers that were there are older than FFmpeg 5.1",
#endif
    },
    .soname = "",
};

const weir_av_library *weir_av_load(void) { return &library; }

int weir_av_has(weir_av_codec codec) {
    (void)codec;
    return 0;
}

int weir_av_open(
    weir_av_decoder **decoder, weir_av_codec codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
) {
    (void)codec, (void)sample_rate, (void)channel_count, (void)channel_mask;
    (void)extradata, (void)extradata_size;
    *decoder = NULL;
    return -ENOSYS;
}

void weir_av_close(weir_av_decoder *decoder) { (void)decoder; }

int weir_av_send(weir_av_decoder *decoder, const uint8_t *bytes, size_t count) {
    (void)decoder, (void)bytes, (void)count;
    return -ENOSYS;
}

int weir_av_receive(weir_av_decoder *decoder, weir_av_sound *sound) {
    (void)decoder, (void)sound;
    return -ENOSYS;
}

void weir_av_flush(weir_av_decoder *decoder) { (void)decoder; }

int weir_av_wants_packet(int status) {
    (void)status;
    return 0;
}

int weir_av_is_at_end(int status) {
    (void)status;
    return 0;
}

int weir_av_is_out_of_memory(int status) {
    (void)status;
    return 0;
}

int weir_av_words(int status, char *words, size_t size) {
    (void)status, (void)words, (void)size;
    return -ENOSYS;
}

#endif
#endif
