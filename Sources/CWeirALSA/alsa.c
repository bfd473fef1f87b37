// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirALSA.h"

#if defined(__linux__)

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/// The soname of every libasound since ALSA 0.9. An application that is linked with libasound needs the same name.
#define SONAME "libasound.so.2"

#define DECLARE(result, name, parameters) result (*name) parameters;
#define RESOLVE(result, name, parameters) \
    alsa.name = (result(*) parameters)weir_library_symbol(handle, #name, &report); \
    if (alsa.name == NULL) return;

/// Written once by `load`, before any other use.
static struct { WEIR_ALSA_CALLS(DECLARE) } alsa;
static weir_library_report report;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static __thread char message[256];

char *weir_alsa_message(void) { return message; }

/// Keeps the message that the library would otherwise write to the program's standard error.
static void keep_words(
    const char *file, int line, const char *function, int status, const char *format, ...
) {
    (void)file, (void)line, (void)function, (void)status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
}

static void load(void) {
    void *handle = weir_library_load(SONAME, &report);
    if (handle == NULL) return;
    WEIR_ALSA_CALLS(RESOLVE)
    alsa.snd_lib_error_set_handler(keep_words);
}

const weir_library_report *weir_alsa_load(void) {
    pthread_once(&once, load);
    return &report;
}

int weir_alsa_list(weir_alsa_listener tell, void *context) {
    void **hints = NULL;
    int status = alsa.snd_device_name_hint(-1, "pcm", &hints);
    if (status < 0) return status;
    for (void **hint = hints; *hint != NULL; hint++) {
        char *name = alsa.snd_device_name_get_hint(*hint, "NAME");
        char *description = alsa.snd_device_name_get_hint(*hint, "DESC");
        // A device without a direction plays and records.
        char *direction = alsa.snd_device_name_get_hint(*hint, "IOID");
        if (name != NULL && (direction == NULL || strcmp(direction, "Output") == 0)) {
            tell(context, name, description != NULL ? description : "");
        }
        free(name);
        free(description);
        free(direction);
    }
    alsa.snd_device_name_free_hint(hints);
    return 0;
}

static struct _snd_pcm *pcm_of(weir_alsa_device *device) { return (struct _snd_pcm *)device; }

int weir_alsa_open(weir_alsa_device **device, const char *name) {
    struct _snd_pcm *pcm = NULL;
    int status = alsa.snd_pcm_open(
        &pcm, name, WEIR_ALSA_STREAM_PLAYBACK,
        WEIR_ALSA_NONBLOCK | WEIR_ALSA_NO_AUTO_RESAMPLE | WEIR_ALSA_NO_AUTO_CHANNELS
    );
    *device = status < 0 ? NULL : (weir_alsa_device *)pcm;
    return status;
}

void weir_alsa_close(weir_alsa_device *device) {
    alsa.snd_pcm_drop(pcm_of(device));
    alsa.snd_pcm_close(pcm_of(device));
}

/// The sample formats that a device may take, in order of preference.
static const struct {
    int format;
    weir_alsa_sample sample;
} kinds[] = {
    {WEIR_ALSA_FORMAT_FLOAT_LE, WEIR_ALSA_FLOAT32},
    {WEIR_ALSA_FORMAT_S32_LE, WEIR_ALSA_SIGNED32},
    {WEIR_ALSA_FORMAT_S24_LE, WEIR_ALSA_SIGNED24},
    {WEIR_ALSA_FORMAT_S24_3LE, WEIR_ALSA_SIGNED24_PACKED},
    {WEIR_ALSA_FORMAT_S16_LE, WEIR_ALSA_SIGNED16},
};

#define CHECK(call) \
    do { \
        int status = (call); \
        if (status < 0) return status; \
    } while (0)

static int choose_sample(struct _snd_pcm *pcm, struct _snd_pcm_hw_params *params, weir_alsa_sample *sample) {
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        if (alsa.snd_pcm_hw_params_set_format(pcm, params, kinds[index].format) >= 0) {
            *sample = kinds[index].sample;
            return 0;
        }
    }
    return WEIR_ALSA_NO_SAMPLE;
}

/// Whether frames stay in the device's buffer until they are played, and can be taken back from it.
///
/// They do when the chain of plug-ins ends at a card. They also do in a plug-in whose buffer can be mapped, such as
/// PipeWire's. PulseAudio's plug-in passes its frames on and has no buffer to map. A rewind on it has no effect,
/// and it reports no error.
static int keeps_frames(struct _snd_pcm *pcm, struct _snd_pcm_hw_params *params) {
    if (alsa.snd_pcm_type(pcm) == WEIR_ALSA_TYPE_IOPLUG) {
        return alsa.snd_pcm_hw_params_test_access(pcm, params, WEIR_ALSA_ACCESS_MMAP_INTERLEAVED) == 0;
    }
    struct _snd_pcm_info *info = NULL;
    if (alsa.snd_pcm_info_malloc(&info) < 0) return 0;
    int card = alsa.snd_pcm_info(pcm, info) < 0 ? -1 : alsa.snd_pcm_info_get_card(info);
    alsa.snd_pcm_info_free(info);
    return card >= 0;
}

static int choose_channels(struct _snd_pcm *pcm, struct _snd_pcm_hw_params *params, weir_alsa_setup *setup) {
    const unsigned *counts = setup->channel_counts;
    size_t most = sizeof setup->channel_counts / sizeof *counts;
    for (size_t index = 0; index < most && counts[index] != 0; index++) {
        setup->channel_count = counts[index];
        if (alsa.snd_pcm_hw_params_set_channels(pcm, params, counts[index]) >= 0) return 0;
    }
    setup->channel_count = counts[0];
    return alsa.snd_pcm_hw_params_set_channels_near(pcm, params, &setup->channel_count);
}

static int set_hardware(
    struct _snd_pcm *pcm, struct _snd_pcm_hw_params *params, weir_alsa_setup *setup,
    unsigned long *period_frames
) {
    CHECK(alsa.snd_pcm_hw_params_any(pcm, params));
    setup->can_take_back = keeps_frames(pcm, params);
    CHECK(alsa.snd_pcm_hw_params_set_access(pcm, params, WEIR_ALSA_ACCESS_RW_INTERLEAVED));
    CHECK(choose_sample(pcm, params, &setup->sample));
    CHECK(choose_channels(pcm, params, setup));
    CHECK(alsa.snd_pcm_hw_params_set_rate_near(pcm, params, &setup->sample_rate, NULL));
    // Half a second of buffer covers a busy machine. A pause still takes effect at once. A rewind leaves at least a
    // period to play, so a device that can take back frames gets a shorter period.
    unsigned buffer_time = 500000, period_time = setup->can_take_back ? 50000 : 100000;
    CHECK(alsa.snd_pcm_hw_params_set_buffer_time_near(pcm, params, &buffer_time, NULL));
    CHECK(alsa.snd_pcm_hw_params_set_period_time_near(pcm, params, &period_time, NULL));
    CHECK(alsa.snd_pcm_hw_params(pcm, params));
    unsigned long buffer_frames = 0;
    CHECK(alsa.snd_pcm_hw_params_get_buffer_size(params, &buffer_frames));
    CHECK(alsa.snd_pcm_hw_params_get_period_size(params, period_frames, NULL));
    setup->buffer_frames = buffer_frames;
    setup->period_frames = *period_frames;
    setup->can_pause = alsa.snd_pcm_hw_params_can_pause(params) == 1;
    return 0;
}

static int set_software(struct _snd_pcm *pcm, struct _snd_pcm_sw_params *params, unsigned long frames) {
    CHECK(alsa.snd_pcm_sw_params_current(pcm, params));
    CHECK(alsa.snd_pcm_sw_params_set_start_threshold(pcm, params, frames));
    CHECK(alsa.snd_pcm_sw_params_set_avail_min(pcm, params, frames));
    return alsa.snd_pcm_sw_params(pcm, params);
}

int weir_alsa_set_up(weir_alsa_device *device, weir_alsa_setup *setup) {
    struct _snd_pcm_hw_params *hardware = NULL;
    struct _snd_pcm_sw_params *software = NULL;
    unsigned long period_frames = 0;
    CHECK(alsa.snd_pcm_hw_params_malloc(&hardware));
    int status = set_hardware(pcm_of(device), hardware, setup, &period_frames);
    alsa.snd_pcm_hw_params_free(hardware);
    if (status < 0) return status;
    CHECK(alsa.snd_pcm_sw_params_malloc(&software));
    if (period_frames > setup->buffer_frames) period_frames = setup->buffer_frames;
    status = set_software(pcm_of(device), software, period_frames);
    alsa.snd_pcm_sw_params_free(software);
    return status < 0 ? status : 0;
}

long weir_alsa_delay(weir_alsa_device *device) {
    long frames = 0;
    int status = alsa.snd_pcm_delay(pcm_of(device), &frames);
    return status < 0 ? status : frames;
}

long weir_alsa_room(weir_alsa_device *device) { return alsa.snd_pcm_avail(pcm_of(device)); }

long weir_alsa_take_back(weir_alsa_device *device, unsigned long count) {
    long most = alsa.snd_pcm_rewindable(pcm_of(device));
    if (most <= 0) return most;
    if (count > (unsigned long)most) count = most;
    return alsa.snd_pcm_rewind(pcm_of(device), count);
}

long weir_alsa_write(weir_alsa_device *device, const void *frames, unsigned long count) {
    return alsa.snd_pcm_writei(pcm_of(device), frames, count);
}

int weir_alsa_wait(weir_alsa_device *device, int milliseconds) {
    return alsa.snd_pcm_wait(pcm_of(device), milliseconds);
}

weir_alsa_state weir_alsa_state_of(weir_alsa_device *device) {
    switch (alsa.snd_pcm_state(pcm_of(device))) {
    case WEIR_ALSA_STATE_PREPARED: return WEIR_ALSA_PREPARED;
    case WEIR_ALSA_STATE_RUNNING: return WEIR_ALSA_RUNNING;
    case WEIR_ALSA_STATE_PAUSED: return WEIR_ALSA_PAUSED;
    case WEIR_ALSA_STATE_XRUN: return WEIR_ALSA_DRY;
    default: return WEIR_ALSA_OTHER;
    }
}

int weir_alsa_start(weir_alsa_device *device) { return alsa.snd_pcm_start(pcm_of(device)); }

int weir_alsa_pause(weir_alsa_device *device, int is_held) {
    return alsa.snd_pcm_pause(pcm_of(device), is_held);
}

int weir_alsa_drop(weir_alsa_device *device) { return alsa.snd_pcm_drop(pcm_of(device)); }

int weir_alsa_prepare(weir_alsa_device *device) { return alsa.snd_pcm_prepare(pcm_of(device)); }

int weir_alsa_wake(weir_alsa_device *device) { return alsa.snd_pcm_resume(pcm_of(device)); }

const char *weir_alsa_meaning(int status) { return alsa.snd_strerror(status); }

#endif
