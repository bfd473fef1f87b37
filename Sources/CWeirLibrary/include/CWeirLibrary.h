// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef WEIR_LIBRARY_H
#define WEIR_LIBRARY_H

/// Whether this program can use a library of the system.
typedef enum weir_library_state {
    /// The library is loaded, and has every function that Weir calls.
    WEIR_LIBRARY_READY = 0,
    /// The system's loader does not find the library, or cannot load it.
    WEIR_LIBRARY_NOT_FOUND,
    /// The library does not fit: a function is missing, or its version is not a supported one.
    WEIR_LIBRARY_UNFIT,
} weir_library_state;

/// The result of loading a library.
typedef struct weir_library_report {
    weir_library_state state;
    /// The loader's message, the missing function, or the version found; empty if there is no detail.
    char detail[256];
} weir_library_report;

/// Loads a shared library by its soname, and never unloads it.
///
/// The name has no slash, so the loader searches the places where it finds the libraries that a program is linked
/// with: the program's RUNPATH, LD_LIBRARY_PATH, the cache of ldconfig, the system's folders. None of these is the
/// current folder, except when LD_LIBRARY_PATH has an empty element (as in "/opt/lib:") or a relative path. When
/// such an element leads to a file of this name, the function loads nothing. (The loader resolves other libraries
/// in LD_LIBRARY_PATH, such as a libc, before any code of this program runs.)
///
/// The report says `READY` or `NOT_FOUND`. Returns NULL when the library was not loaded.
void *weir_library_load(const char *soname, weir_library_report *report);

/// Looks up a function of a library or of its dependencies; reports `UNFIT` if the function is missing.
void *weir_library_symbol(void *library, const char *name, weir_library_report *report);

/// Reports that the library does not fit, with the reason.
void weir_library_refuse(weir_library_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
