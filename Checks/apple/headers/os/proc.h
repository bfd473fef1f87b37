// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <os/proc.h>

#include "../Macros.h"

#include <stddef.h>

extern size_t os_proc_available_memory(void) SINCE(ios_13_0, macos_none);
