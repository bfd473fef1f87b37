// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBRARY_H
#define WEIR_LIBRARY_H

/// Whether a library of the system can be used by this program.
typedef enum weir_library_state {
    /// It is loaded, and has everything that is called.
    WEIR_LIBRARY_READY = 0,
    /// The system's loader does not find it, or cannot load it.
    WEIR_LIBRARY_NOT_FOUND,
    /// The library that is found does not fit: a function is missing, or its version is another.
    WEIR_LIBRARY_UNFIT,
} weir_library_state;

/// What became of loading a library.
typedef struct weir_library_report {
    weir_library_state state;
    /// The loader's message, the missing function or the version that was found; empty if there is nothing to say.
    char detail[256];
} weir_library_report;

/// Loads a shared library by its soname, and never unloads it.
///
/// The name has no slash, so the loader searches the places where it finds the libraries that a program is linked
/// with: the program's RUNPATH, LD_LIBRARY_PATH, the cache of ldconfig, the system's folders. None of them is the
/// current folder, except where LD_LIBRARY_PATH itself says so: an empty element (as in "/opt/lib:") or a relative
/// path. Where such an element leads to a file of this name, nothing is loaded. (What else LD_LIBRARY_PATH leads to,
/// such as a libc, the loader takes before any code of this program runs.)
///
/// The report says `READY` or `NOT_FOUND`. Returns NULL where it was not loaded.
void *weir_library_load(const char *soname, weir_library_report *report);

/// Looks a function of a library, or of the libraries that it needs, up; says `UNFIT` in the report if it is missing.
void *weir_library_symbol(void *library, const char *name, weir_library_report *report);

/// Says in a report that the library does not fit, with the reason.
void weir_library_refuse(weir_library_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
