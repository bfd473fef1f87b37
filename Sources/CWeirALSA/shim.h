// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_ALSA_H
#define WEIR_ALSA_H

#include <stdarg.h>
#include <stdio.h>

#include <alsa/asoundlib.h>

/// What ALSA said last on this thread; empty if nothing.
static inline char *weir_alsa_words(void) {
    static __thread char words[256];
    return words;
}

/// Keeps what ALSA says, which it would write to the standard error; Swift cannot take arguments without a number.
static inline void weir_alsa_listen(
    const char *file, int line, const char *function, int status, const char *format, ...
) {
    (void)file;
    (void)line;
    (void)function;
    (void)status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(weir_alsa_words(), 256, format, arguments);
    va_end(arguments);
}

/// Makes ALSA keep its words to itself, in the whole process.
static inline void weir_alsa_be_quiet(void) { snd_lib_error_set_handler(weir_alsa_listen); }

#endif
