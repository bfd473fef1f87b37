// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ALSA_CALLS_H
#define WEIR_ALSA_CALLS_H

#include <stddef.h>

// Weir's own declarations of the ALSA functions and constants that it uses. The build needs no ALSA header. All
// structures are opaque. libasound.so.2 keeps its functions and constants stable. A test compares them with the
// installed headers.

struct _snd_pcm;
struct _snd_pcm_hw_params;
struct _snd_pcm_info;
struct _snd_pcm_sw_params;

/// Takes the file, line, function, status and message of an error.
typedef void (*weir_alsa_error_handler)(
    const char *, int, const char *, int, const char *, ...
);

enum {
    WEIR_ALSA_STREAM_PLAYBACK = 0,
    WEIR_ALSA_NONBLOCK = 1,
    WEIR_ALSA_NO_AUTO_RESAMPLE = 0x10000,
    WEIR_ALSA_NO_AUTO_CHANNELS = 0x20000,
    WEIR_ALSA_ACCESS_MMAP_INTERLEAVED = 0,
    WEIR_ALSA_ACCESS_RW_INTERLEAVED = 3,
    WEIR_ALSA_TYPE_IOPLUG = 28,
};

/// The values of snd_pcm_format_t that Weir uses.
enum {
    WEIR_ALSA_FORMAT_S16_LE = 2,
    WEIR_ALSA_FORMAT_S24_LE = 6,
    WEIR_ALSA_FORMAT_S32_LE = 10,
    WEIR_ALSA_FORMAT_FLOAT_LE = 14,
    WEIR_ALSA_FORMAT_S24_3LE = 32,
};

/// The values of snd_pcm_state_t that Weir uses.
enum {
    WEIR_ALSA_STATE_PREPARED = 2,
    WEIR_ALSA_STATE_RUNNING = 3,
    WEIR_ALSA_STATE_XRUN = 4,
    WEIR_ALSA_STATE_PAUSED = 6,
};

/// Every function that Weir calls: CALL(result, name, (parameters)).
#define WEIR_ALSA_CALLS(CALL) \
    CALL(int, snd_lib_error_set_handler, (weir_alsa_error_handler)) \
    CALL(const char *, snd_strerror, (int)) \
    CALL(int, snd_device_name_hint, (int, const char *, void ***)) \
    CALL(char *, snd_device_name_get_hint, (const void *, const char *)) \
    CALL(int, snd_device_name_free_hint, (void **)) \
    CALL(int, snd_pcm_open, (struct _snd_pcm **, const char *, unsigned, int)) \
    CALL(int, snd_pcm_close, (struct _snd_pcm *)) \
    CALL(int, snd_pcm_hw_params_malloc, (struct _snd_pcm_hw_params **)) \
    CALL(void, snd_pcm_hw_params_free, (struct _snd_pcm_hw_params *)) \
    CALL(int, snd_pcm_hw_params_any, (struct _snd_pcm *, struct _snd_pcm_hw_params *)) \
    CALL(int, snd_pcm_hw_params_set_access, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned)) \
    CALL(int, snd_pcm_hw_params_set_format, (struct _snd_pcm *, struct _snd_pcm_hw_params *, int)) \
    CALL(int, snd_pcm_hw_params_set_channels, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned)) \
    CALL(int, snd_pcm_hw_params_set_channels_near, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned *)) \
    CALL(int, snd_pcm_hw_params_set_rate_near, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned *, int *)) \
    CALL(int, snd_pcm_hw_params_set_buffer_time_near, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned *, int *)) \
    CALL(int, snd_pcm_hw_params_set_period_time_near, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned *, int *)) \
    CALL(int, snd_pcm_hw_params, (struct _snd_pcm *, struct _snd_pcm_hw_params *)) \
    CALL(int, snd_pcm_hw_params_get_buffer_size, (const struct _snd_pcm_hw_params *, unsigned long *)) \
    CALL(int, snd_pcm_hw_params_get_period_size, (const struct _snd_pcm_hw_params *, unsigned long *, int *)) \
    CALL(int, snd_pcm_hw_params_can_pause, (const struct _snd_pcm_hw_params *)) \
    CALL(int, snd_pcm_hw_params_test_access, (struct _snd_pcm *, struct _snd_pcm_hw_params *, unsigned)) \
    CALL(int, snd_pcm_info_malloc, (struct _snd_pcm_info **)) \
    CALL(void, snd_pcm_info_free, (struct _snd_pcm_info *)) \
    CALL(int, snd_pcm_info_get_card, (const struct _snd_pcm_info *)) \
    CALL(int, snd_pcm_info, (struct _snd_pcm *, struct _snd_pcm_info *)) \
    CALL(unsigned, snd_pcm_type, (struct _snd_pcm *)) \
    CALL(long, snd_pcm_rewindable, (struct _snd_pcm *)) \
    CALL(long, snd_pcm_rewind, (struct _snd_pcm *, unsigned long)) \
    CALL(int, snd_pcm_sw_params_malloc, (struct _snd_pcm_sw_params **)) \
    CALL(void, snd_pcm_sw_params_free, (struct _snd_pcm_sw_params *)) \
    CALL(int, snd_pcm_sw_params_current, (struct _snd_pcm *, struct _snd_pcm_sw_params *)) \
    CALL(int, snd_pcm_sw_params_set_start_threshold, (struct _snd_pcm *, struct _snd_pcm_sw_params *, unsigned long)) \
    CALL(int, snd_pcm_sw_params_set_avail_min, (struct _snd_pcm *, struct _snd_pcm_sw_params *, unsigned long)) \
    CALL(int, snd_pcm_sw_params, (struct _snd_pcm *, struct _snd_pcm_sw_params *)) \
    CALL(int, snd_pcm_delay, (struct _snd_pcm *, long *)) \
    CALL(long, snd_pcm_avail, (struct _snd_pcm *)) \
    CALL(long, snd_pcm_writei, (struct _snd_pcm *, const void *, unsigned long)) \
    CALL(int, snd_pcm_wait, (struct _snd_pcm *, int)) \
    CALL(unsigned, snd_pcm_state, (struct _snd_pcm *)) \
    CALL(int, snd_pcm_start, (struct _snd_pcm *)) \
    CALL(int, snd_pcm_pause, (struct _snd_pcm *, int)) \
    CALL(int, snd_pcm_drop, (struct _snd_pcm *)) \
    CALL(int, snd_pcm_prepare, (struct _snd_pcm *)) \
    CALL(int, snd_pcm_resume, (struct _snd_pcm *))

#endif
