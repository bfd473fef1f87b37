// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIREXCEPTIONS_H
#define CWEIREXCEPTIONS_H

#include <stdbool.h>

/// Lets an `AVAudioPlayerNode` play, at a moment that an `AVAudioTime` names, or at once where there is none.
///
/// A node that is told to play while its engine stands still raises an exception, and an engine stops itself at any
/// moment, when its device changes. Swift cannot catch the exception; it is caught here. Only on Apple platforms.
///
/// Returns whether the node was told to play without an exception.
bool weir_play_node(void *_Nonnull node, void *_Nullable time);

#endif
