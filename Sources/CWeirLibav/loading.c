// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirLibav.h"

#if defined(__linux__)

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

/// libavcodec 59.37.100, of FFmpeg 5.1, is the first version with this channel layout structure.
#define OLDEST_MINOR 37
/// How many unknown versions on either side are tried, so that the report can name an installed unknown version.
#define UNKNOWN_VERSIONS 6

weir_av_calls weir_av;
static weir_av_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned major_of(unsigned version) { return version >> 16; }

static unsigned minor_of(unsigned version) { return version >> 8 & 0xFF; }

/// Whether the loader's message says that no file of this name exists.
static int is_absent(const weir_library_report *report, const char *name) {
    size_t length = strlen(name);
    return report->state == WEIR_LIBRARY_NOT_FOUND && strncmp(report->detail, name, length) == 0
        && strncmp(report->detail + length, ": cannot open shared object file", 32) == 0;
}

#define RESOLVE(result, name, parameters) \
    calls->name = (result(*) parameters)weir_library_symbol(handle, #name, report); \
    if (calls->name == NULL) return;

/// Looks up all functions, and compares versions before it calls any other function.
static void resolve(void *handle, int major, weir_av_calls *calls, weir_library_report *report) {
    WEIR_AV_CALLS(RESOLVE)
    unsigned version = calls->avcodec_version(), utility = calls->avutil_version();
    if (major_of(version) != (unsigned)major) {
        return weir_library_refuse(report, "its version is %u.%u", major_of(version), minor_of(version));
    }
    if (major == WEIR_AV_OLDEST && minor_of(version) < OLDEST_MINOR) {
        return weir_library_refuse(
            report, "its version is %u.%u, and %u.%u (FFmpeg 5.1) or newer is needed", major_of(version),
            minor_of(version), WEIR_AV_OLDEST, OLDEST_MINOR
        );
    }
    // libavutil's major version is libavcodec's minus two in each of the known releases.
    if (major_of(utility) != (unsigned)major - 2) {
        return weir_library_refuse(
            report, "it uses libavutil %u, and libavutil %d belongs to it", major_of(utility), major - 2
        );
    }
}

/// Tries one library; returns whether a library of this name exists.
static int try_one(const char *stem, int major, weir_av_calls *calls, weir_av_library *found) {
    char name[4096];
    int length = snprintf(name, sizeof name, "%s%d", stem, major);
    if (length < 0 || (size_t)length >= sizeof name) return 0;
    found->major = major;
    void *handle = weir_library_load(name, &found->report);
    if (handle == NULL) return !is_absent(&found->report, name);
    if (major < WEIR_AV_OLDEST || major > WEIR_AV_NEWEST) {
        weir_library_refuse(&found->report, "Weir knows versions %d to %d", WEIR_AV_OLDEST, WEIR_AV_NEWEST);
    } else {
        resolve(handle, major, calls, &found->report);
    }
    return 1;
}

/// Takes the first known version that fits, newest first; else reports the first installed version that does not fit.
static weir_av_library find(const char *stem, weir_av_calls *calls) {
    weir_av_library refused = {.report = {.state = WEIR_LIBRARY_NOT_FOUND}};
    for (int major = WEIR_AV_NEWEST; major >= WEIR_AV_OLDEST; major--) {
        weir_av_library found = {0};
        int is_there = try_one(stem, major, calls, &found);
        if (is_there && found.report.state == WEIR_LIBRARY_READY) return found;
        if (is_there && refused.major == 0) refused = found;
    }
    for (int step = 1; step <= UNKNOWN_VERSIONS && refused.major == 0; step++) {
        weir_av_library found = {0};
        if (try_one(stem, WEIR_AV_NEWEST + step, calls, &found)
            || try_one(stem, WEIR_AV_OLDEST - step, calls, &found)) {
            refused = found;
        }
    }
    return refused;
}

weir_av_library weir_av_try(const char *stem) {
    weir_av_calls calls;
    return find(stem, &calls);
}

static void load(void) {
    library = find("libavcodec.so.", &weir_av);
    // Otherwise the library would write to the program's standard error.
    if (library.report.state == WEIR_LIBRARY_READY) weir_av.av_log_set_level(WEIR_AV_QUIET);
}

const weir_av_library *weir_av_load(void) {
    pthread_once(&once, load);
    return &library;
}

#endif
