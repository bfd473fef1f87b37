// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBAV_H
#define WEIR_LIBAV_H

#include <errno.h>

#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>

#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(59, 37, 100)
#error "Weir needs the libavcodec of FFmpeg 5.1 or newer."
#endif

// What Swift cannot see, since the library says it with macros.

/// The decoder wants a packet before it gives a frame.
static inline int weir_av_wants_packet(int status) { return status == AVERROR(EAGAIN); }

/// The decoder gives no more frames.
static inline int weir_av_is_at_end(int status) { return status == AVERROR_EOF; }

/// There was no memory.
static inline int weir_av_is_out_of_memory(int status) { return status == AVERROR(ENOMEM); }

/// To hand out what was decoded and trim nothing of it.
static inline int weir_av_flag_trim_nothing(void) { return AV_CODEC_FLAG2_SKIP_MANUAL; }

/// How many bytes of zero a decoder wants behind what it is given.
static inline int weir_av_padding(void) { return AV_INPUT_BUFFER_PADDING_SIZE; }

/// Keeps the library from writing to the standard error.
static inline void weir_av_be_quiet(void) { av_log_set_level(AV_LOG_QUIET); }

#endif
