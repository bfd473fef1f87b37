// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirExceptions.h"

#if defined(__APPLE__)

#import <AVFAudio/AVFAudio.h>

bool weir_play_node(void *_Nonnull node, void *_Nullable time) {
    AVAudioPlayerNode *player = (__bridge AVAudioPlayerNode *)node;
    @try {
        if (time) {
            [player playAtTime:(__bridge AVAudioTime *)time];
        } else {
            [player play];
        }
        return true;
    } @catch (NSException *exception) {
        return false;
    }
}

#endif
