// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIREXCEPTIONS_H
#define CWEIREXCEPTIONS_H

#include <stdbool.h>

/// Starts an `AVAudioPlayerNode` at the time of an `AVAudioTime`, or at once without one.
///
/// A node raises an exception if it starts while its engine does not run, and an engine may stop at any moment,
/// when its device changes. Swift cannot catch the exception, so this function does. Only on Apple platforms.
///
/// Returns whether the node started without an exception.
bool weir_play_node(void *_Nonnull node, void *_Nullable time);

#endif
