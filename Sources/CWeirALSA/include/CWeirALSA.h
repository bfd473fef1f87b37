// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ALSA_H
#define WEIR_ALSA_H

#include <stdint.h>

#include "CWeirLibrary.h"

// ALSA's library, as much of it as is used: one device that plays. No header of ALSA is needed to build:
// calls.h declares the functions.

/// Loads libasound.so.2 at the first call, and says what became of it. Any thread may call.
const weir_library_report *weir_alsa_load(void);

// Each of the following may be called only where the library is ready; a device is used by one thread at a time.
// A status below 0 is an error number with its sign turned.

/// Is told of a device that plays: its name, and words for people, of one line or more.
typedef void (*weir_alsa_listener)(void *context, const char *name, const char *description);

/// Tells of each device that plays, cards and plug-ins; nothing is opened.
int weir_alsa_list(weir_alsa_listener tell, void *context);

/// How a device takes samples.
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
    /// How many channels are wanted, the best first; 0 ends them.
    unsigned channel_counts[8];
    /// The first of them that the device has, or what is nearest to the first.
    unsigned channel_count;
    /// Wanted, then as near as the device has it.
    unsigned sample_rate;
    weir_alsa_sample sample;
    /// How many frames the buffer holds.
    unsigned long buffer_frames;
    /// How many frames it reads from its buffer at once, at most.
    unsigned long period_frames;
    /// Whether frames that it has not played can be taken back.
    int can_take_back;
    /// Whether the device itself can be held.
    int can_pause;
} weir_alsa_setup;

/// What a device does, as far as it matters.
typedef enum weir_alsa_state {
    WEIR_ALSA_OTHER,
    WEIR_ALSA_PREPARED,
    WEIR_ALSA_RUNNING,
    WEIR_ALSA_PAUSED,
    /// It ran dry, and answers with an old delay.
    WEIR_ALSA_DRY,
} weir_alsa_state;

/// An open device.
typedef struct weir_alsa_device weir_alsa_device;

/// The status of a set-up for which the device takes no kind of sample that is known here.
#define WEIR_ALSA_NO_SAMPLE (-1000000)

/// Opens a device by its name, for calls that do not wait. The library is told not to convert rates and channels.
int weir_alsa_open(weir_alsa_device **device, const char *name);

/// Sets a device up: half a second of buffer, in pieces of a tenth, or of a twentieth where
/// frames can be taken back; it begins with the first piece.
int weir_alsa_set_up(weir_alsa_device *device, weir_alsa_setup *setup);

/// Drops what was not played, and closes.
void weir_alsa_close(weir_alsa_device *device);

/// How many frames were given and not played; below 0 for a device that ran dry (a plug-in gives an old number).
long weir_alsa_delay(weir_alsa_device *device);

/// How many frames find room; below 0 for a device that ran dry.
long weir_alsa_room(weir_alsa_device *device);

/// Takes back the last frames that were given and not played. Returns how many they are, or a status.
long weir_alsa_take_back(weir_alsa_device *device, unsigned long count);

/// Gives frames. Returns how many were taken, or a status.
long weir_alsa_write(weir_alsa_device *device, const void *frames, unsigned long count);

/// Waits until there is room, or the time is over.
int weir_alsa_wait(weir_alsa_device *device, int milliseconds);

weir_alsa_state weir_alsa_state_of(weir_alsa_device *device);
int weir_alsa_start(weir_alsa_device *device);
/// Holds the device itself, or lets it go on.
int weir_alsa_pause(weir_alsa_device *device, int is_held);
/// Drops what was not played.
int weir_alsa_drop(weir_alsa_device *device);
int weir_alsa_prepare(weir_alsa_device *device);
/// Wakes a device that was put to sleep with the machine.
int weir_alsa_wake(weir_alsa_device *device);

/// The library's words for a status; static memory.
const char *weir_alsa_meaning(int status);

/// What the library said last on this thread; empty if nothing. The caller may empty it.
char *weir_alsa_message(void);

#endif
