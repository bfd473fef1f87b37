// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirLibav.h"

#if defined(__linux__)

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/// Owns its three members; only `weir_av_close` frees it.
struct weir_av_decoder {
    struct AVCodecContext *context;
    struct AVPacket *packet;
    struct AVFrame *frame;
};

static const struct AVCodec *find(weir_av_codec codec) {
    switch (codec) {
    case WEIR_AV_MP1: return weir_av.avcodec_find_decoder(WEIR_AV_ID_MP1);
    case WEIR_AV_MP2: return weir_av.avcodec_find_decoder(WEIR_AV_ID_MP2);
    case WEIR_AV_MP3: return weir_av.avcodec_find_decoder(WEIR_AV_ID_MP3);
    case WEIR_AV_AAC: return weir_av.avcodec_find_decoder(WEIR_AV_ID_AAC);
    case WEIR_AV_VORBIS: return weir_av.avcodec_find_decoder(WEIR_AV_ID_VORBIS);
    case WEIR_AV_OPUS: return weir_av.avcodec_find_decoder(WEIR_AV_ID_OPUS);
    case WEIR_AV_FLAC: return weir_av.avcodec_find_decoder(WEIR_AV_ID_FLAC);
    case WEIR_AV_ALAC: return weir_av.avcodec_find_decoder(WEIR_AV_ID_ALAC);
    case WEIR_AV_USAC:
        // xHE-AAC works from FFmpeg 7.1 (61.19.100) on. Older versions accept the configuration and then refuse
        // every packet.
        return weir_av.avcodec_version() >= (61 << 16 | 19 << 8 | 100)
            ? weir_av.avcodec_find_decoder(WEIR_AV_ID_AAC) : NULL;
    }
    return NULL;
}

int weir_av_has(weir_av_codec codec) { return find(codec) != NULL; }

#define CHECK(call) \
    do { \
        int status = (call); \
        if (status < 0) return status; \
    } while (0)

/// Copies bytes into memory of the library, and adds the zeros that decoders read beyond the end.
static uint8_t *copy(const uint8_t *bytes, size_t count) {
    uint8_t *memory = weir_av.av_malloc(count + WEIR_AV_PADDING);
    if (memory == NULL) return NULL;
    memcpy(memory, bytes, count);
    memset(memory + count, 0, WEIR_AV_PADDING);
    return memory;
}

static void *field(void *structure, size_t offset) { return (char *)structure + offset; }

/// The structure has the size and the members of AVChannelLayout.
static struct AVChannelLayout *layout_of(struct weir_av_layout *layout) {
    return (struct AVChannelLayout *)layout;
}

static int set_layout(struct AVCodecContext *context, int channel_count, uint32_t channel_mask) {
    struct weir_av_layout layout = {0};
    if (channel_mask != 0) {
        CHECK(weir_av.av_channel_layout_from_mask(layout_of(&layout), channel_mask));
    } else if (channel_count > 0) {
        weir_av.av_channel_layout_default(layout_of(&layout), channel_count);
    } else {
        return 0;
    }
    return weir_av.av_opt_set_chlayout(context, "ch_layout", layout_of(&layout), 0);
}

/// Sets the extradata of a context through parameters; the context copies the bytes.
static int set_extradata(struct AVCodecContext *context, const uint8_t *bytes, size_t count) {
    if (count == 0) return 0;
    if (count >= 1 << 24) return -ENOMEM;
    struct AVCodecParameters *parameters = weir_av.avcodec_parameters_alloc();
    if (parameters == NULL) return -ENOMEM;
    int status = weir_av.avcodec_parameters_from_context(parameters, context);
    if (status >= 0) {
        // The parameters free the copy.
        uint8_t *copied = copy(bytes, count);
        *(uint8_t **)field(parameters, WEIR_AV_PARAMETERS_EXTRADATA) = copied;
        *(int *)field(parameters, WEIR_AV_PARAMETERS_EXTRADATA_SIZE) = copied != NULL ? (int)count : 0;
        status = copied != NULL ? weir_av.avcodec_parameters_to_context(context, parameters) : -ENOMEM;
    }
    weir_av.avcodec_parameters_free(&parameters);
    return status;
}

static int set_up(
    weir_av_decoder *decoder, const struct AVCodec *codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
) {
    decoder->packet = weir_av.av_packet_alloc();
    decoder->frame = weir_av.av_frame_alloc();
    struct AVCodecContext *context = decoder->context = weir_av.avcodec_alloc_context3(codec);
    if (decoder->packet == NULL || decoder->frame == NULL || context == NULL) return -ENOMEM;
    CHECK(weir_av.av_opt_set_int(context, "threads", 1, 0));
    // The caller trims the priming and the padding: it knows them from the container.
    CHECK(weir_av.av_opt_set(context, "flags2", "+skip_manual", 0));
    CHECK(weir_av.av_opt_set_int(context, "ar", sample_rate, 0));
    CHECK(set_layout(context, channel_count, channel_mask));
    CHECK(set_extradata(context, extradata, extradata_size));
    return weir_av.avcodec_open2(context, codec, NULL);
}

int weir_av_open(
    weir_av_decoder **decoder, weir_av_codec codec, int sample_rate, int channel_count,
    uint32_t channel_mask, const uint8_t *extradata, size_t extradata_size
) {
    *decoder = NULL;
    const struct AVCodec *found = find(codec);
    if (found == NULL) return WEIR_AV_NO_DECODER;
    weir_av_decoder *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return -ENOMEM;
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
    weir_av.avcodec_free_context(&decoder->context);
    weir_av.av_packet_free(&decoder->packet);
    weir_av.av_frame_free(&decoder->frame);
    free(decoder);
}

int weir_av_send(weir_av_decoder *decoder, const uint8_t *bytes, size_t count) {
    if (count == 0 || count > INT32_MAX - WEIR_AV_PADDING) return -EINVAL;
    uint8_t *copied = copy(bytes, count);
    if (copied == NULL) return -ENOMEM;
    // The packet frees the copy.
    int status = weir_av.av_packet_from_data(decoder->packet, copied, (int)count);
    if (status < 0) {
        weir_av.av_free(copied);
        return status;
    }
    status = weir_av.avcodec_send_packet(decoder->context, decoder->packet);
    weir_av.av_packet_unref(decoder->packet);
    return status;
}

static weir_av_sample sample_of(int format) {
    switch (format) {
    case WEIR_AV_FORMAT_U8:
    case WEIR_AV_FORMAT_U8P: return WEIR_AV_UNSIGNED8;
    case WEIR_AV_FORMAT_S16:
    case WEIR_AV_FORMAT_S16P: return WEIR_AV_SIGNED16;
    case WEIR_AV_FORMAT_S32:
    case WEIR_AV_FORMAT_S32P: return WEIR_AV_SIGNED32;
    case WEIR_AV_FORMAT_FLT:
    case WEIR_AV_FORMAT_FLTP: return WEIR_AV_FLOAT32;
    case WEIR_AV_FORMAT_DBL:
    case WEIR_AV_FORMAT_DBLP: return WEIR_AV_FLOAT64;
    default: return WEIR_AV_UNKNOWN;
    }
}

/// The first 18 bits of the library's native order are WAVE's; WAVE has no bits for the other loudspeakers.
static uint32_t mask_of(const struct weir_av_layout *layout) {
    return layout->order == WEIR_AV_ORDER_NATIVE ? layout->mask & 0x3FFFF : 0;
}

/// The number of bytes that a plane must have for the sound's frame count, sample kind and channels.
static int64_t plane_size(const weir_av_sound *sound) {
    static const int sizes[] = {
        [WEIR_AV_UNSIGNED8] = 1, [WEIR_AV_SIGNED16] = 2, [WEIR_AV_SIGNED32] = 4,
        [WEIR_AV_FLOAT32] = 4, [WEIR_AV_FLOAT64] = 8,
    };
    int64_t count = (int64_t)sound->frame_count * sizes[sound->sample];
    return sound->is_planar ? count : count * sound->channel_count;
}

int weir_av_receive(weir_av_decoder *decoder, weir_av_sound *sound) {
    struct AVFrame *frame = decoder->frame;
    weir_av.av_frame_unref(frame);
    CHECK(weir_av.avcodec_receive_frame(decoder->context, frame));
    // The context's rate and channels are the frame's: with one thread the decoder decodes nothing ahead of this
    // frame.
    int64_t sample_rate = 0;
    struct weir_av_layout layout = {0};
    CHECK(weir_av.av_opt_get_int(decoder->context, "ar", 0, &sample_rate));
    CHECK(weir_av.av_opt_get_chlayout(decoder->context, "ch_layout", 0, layout_of(&layout)));
    int format = *(int *)field(frame, WEIR_AV_FRAME_FORMAT);
    *sound = (weir_av_sound){
        .planes = *(uint8_t *const **)field(frame, WEIR_AV_FRAME_PLANES),
        .sample = sample_of(format),
        .is_planar = format >= WEIR_AV_FORMAT_U8P,
        .frame_count = *(int *)field(frame, WEIR_AV_FRAME_COUNT),
        .channel_count = layout.channel_count,
        .channel_mask = mask_of(&layout),
        .sample_rate = (int)sample_rate,
    };
    weir_av.av_channel_layout_uninit(layout_of(&layout));
    // If a decoder ever disagrees with its frame, this check prevents a read beyond the frame. The frame itself has
    // room for eight planes only; more planes are in an array of their own.
    int has_all = plane_size(sound) <= *(int *)field(frame, WEIR_AV_FRAME_PLANE_SIZE)
        && (sound->channel_count <= 8 || !sound->is_planar || (void *)sound->planes != (void *)frame);
    return has_all ? 0 : -EINVAL;
}

void weir_av_flush(weir_av_decoder *decoder) { weir_av.avcodec_flush_buffers(decoder->context); }

int weir_av_wants_packet(int status) { return status == -EAGAIN; }

int weir_av_is_at_end(int status) { return status == WEIR_AV_END; }

int weir_av_is_out_of_memory(int status) { return status == -ENOMEM; }

int weir_av_words(int status, char *words, size_t size) { return weir_av.av_strerror(status, words, size); }

#endif
