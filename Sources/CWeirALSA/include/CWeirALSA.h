// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ALSA_H
#define WEIR_ALSA_H

#include <stdint.h>

#include "CWeirLibrary.h"

// The part of ALSA's library that Weir uses: one playback device. The build needs no ALSA header: calls.h declares
// the functions.

/// Loads libasound.so.2 at the first call, and reports the result. Any thread may call.
const weir_library_report *weir_alsa_load(void);

// Call the following functions only when the library is ready. Only one thread at a time may use a device. A status
// below 0 is a negated error number.

/// Receives a playback device: its name, and a description for people, of one line or more.
typedef void (*weir_alsa_listener)(void *context, const char *name, const char *description);

/// Calls `tell` for each playback device, cards and plug-ins. It opens no device.
int weir_alsa_list(weir_alsa_listener tell, void *context);

/// The format in which a device takes samples.
typedef enum weir_alsa_sample {
    WEIR_ALSA_FLOAT32,
    WEIR_ALSA_SIGNED32,
    /// In the low three bytes of four.
    WEIR_ALSA_SIGNED24,
    /// In three bytes.
    WEIR_ALSA_SIGNED24_PACKED,
    WEIR_ALSA_SIGNED16,
} weir_alsa_sample;

/// How a device is set up.
typedef struct weir_alsa_setup {
    /// The wanted channel counts, in order of preference; 0 ends the list.
    unsigned channel_counts[8];
    /// The first of those counts that the device supports, or the nearest count to the first.
    unsigned channel_count;
    /// In: the wanted rate. Out: the nearest rate that the device supports.
    unsigned sample_rate;
    weir_alsa_sample sample;
    /// How many frames the buffer holds.
    unsigned long buffer_frames;
    /// How many frames the device reads from its buffer at once, at most.
    unsigned long period_frames;
    /// Whether frames that the device has not played can be taken back.
    int can_take_back;
    /// Whether the device itself can pause.
    int can_pause;
} weir_alsa_setup;

/// The state of a device, as far as Weir uses it.
typedef enum weir_alsa_state {
    WEIR_ALSA_OTHER,
    WEIR_ALSA_PREPARED,
    WEIR_ALSA_RUNNING,
    WEIR_ALSA_PAUSED,
    /// The device ran dry; the delay that it reports is old.
    WEIR_ALSA_DRY,
} weir_alsa_state;

/// An open device.
typedef struct weir_alsa_device weir_alsa_device;

/// The status when the device takes none of the known sample formats.
#define WEIR_ALSA_NO_SAMPLE (-1000000)

/// Opens a device by its name in non-blocking mode. The library must not convert rates and channels.
int weir_alsa_open(weir_alsa_device **device, const char *name);

/// Sets up a device with half a second of buffer, in periods of a tenth of a second.
///
/// When frames can be taken back, a period is a twentieth of a second. Playback begins with the first period.
int weir_alsa_set_up(weir_alsa_device *device, weir_alsa_setup *setup);

/// Drops the frames that were not played, and closes the device.
void weir_alsa_close(weir_alsa_device *device);

/// The number of frames written and not played; below 0 when the device ran dry (a plug-in gives an old number).
long weir_alsa_delay(weir_alsa_device *device);

/// The number of frames that the buffer has room for; below 0 when the device ran dry.
long weir_alsa_room(weir_alsa_device *device);

/// Takes back the last frames that were written and not played. Returns their number, or a status.
long weir_alsa_take_back(weir_alsa_device *device, unsigned long count);

/// Writes frames. Returns the number of frames that the device took, or a status.
long weir_alsa_write(weir_alsa_device *device, const void *frames, unsigned long count);

/// Waits until the buffer has room, or until the time is over.
int weir_alsa_wait(weir_alsa_device *device, int milliseconds);

weir_alsa_state weir_alsa_state_of(weir_alsa_device *device);
int weir_alsa_start(weir_alsa_device *device);
/// Pauses the device itself, or resumes it.
int weir_alsa_pause(weir_alsa_device *device, int is_held);
/// Drops the frames that were not played.
int weir_alsa_drop(weir_alsa_device *device);
int weir_alsa_prepare(weir_alsa_device *device);
/// Wakes a device that was put to sleep with the machine.
int weir_alsa_wake(weir_alsa_device *device);

/// The library's message for a status, in static memory.
const char *weir_alsa_meaning(int status);

/// The library's last message on this thread, or an empty text. The caller may empty it.
char *weir_alsa_message(void);

#endif
