// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirLibrary.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Whether an element of LD_LIBRARY_PATH that depends on the current folder leads to a file of this name.
///
/// The loader reads the variable at the start of the program; elements are separated by colons or semicolons.
static int depends_on_current_folder(const char *soname) {
    const char *element = getenv("LD_LIBRARY_PATH");
    while (element != NULL) {
        size_t length = strcspn(element, ":;");
        // "$ORIGIN" and "${LIB}" are the loader's own variables, for places that are not relative.
        if (length == 0 || (element[0] != '/' && element[0] != '$')) {
            char path[4096];
            int count = snprintf(
                path, sizeof path, "%.*s%s%s", (int)length, element, length == 0 ? "" : "/", soname
            );
            if (count > 0 && (size_t)count < sizeof path && access(path, F_OK) == 0) return 1;
        }
        element = element[length] == '\0' ? NULL : element + length + 1;
    }
    return 0;
}

void *weir_library_load(const char *soname, weir_library_report *report) {
    report->detail[0] = '\0';
    report->state = WEIR_LIBRARY_NOT_FOUND;
    const char *paths = getenv("LD_LIBRARY_PATH");
    // An empty variable means the same as no variable.
    if (paths != NULL && paths[0] != '\0' && depends_on_current_folder(soname)) {
        snprintf(
            report->detail, sizeof report->detail,
            "LD_LIBRARY_PATH has an element that leads to a %s in the current folder", soname
        );
        return NULL;
    }
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *message = dlerror();
        snprintf(report->detail, sizeof report->detail, "%s", message != NULL ? message : "");
        return NULL;
    }
    report->state = WEIR_LIBRARY_READY;
    return library;
}

void *weir_library_symbol(void *library, const char *name, weir_library_report *report) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) weir_library_refuse(report, "it has no function %s", name);
    return symbol;
}

void weir_library_refuse(weir_library_report *report, const char *format, ...) {
    va_list arguments;
    report->state = WEIR_LIBRARY_UNFIT;
    va_start(arguments, format);
    vsnprintf(report->detail, sizeof report->detail, format, arguments);
    va_end(arguments);
}

#endif
