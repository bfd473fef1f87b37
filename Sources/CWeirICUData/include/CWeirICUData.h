// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRICUDATA_H
#define CWEIRICUDATA_H

// Nothing to call: this target only links data, which ICU reads.

#endif
