// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRICUDATA_H
#define CWEIRICUDATA_H

// Nothing to call: what this target has is linked, and read by ICU.

#endif
