// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <CoreAudioTypes/CoreAudioBaseTypes.h>

@import CoreFoundationTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef UInt32 AudioFormatID;
typedef UInt32 AudioFormatFlags;
typedef UInt32 AudioChannelLayoutTag;

struct AudioBuffer {
    UInt32 mNumberChannels;
    UInt32 mDataByteSize;
    void *_Nullable mData;
};
typedef struct AudioBuffer AudioBuffer;

struct AudioBufferList {
    UInt32 mNumberBuffers;
    AudioBuffer mBuffers[1];
};
typedef struct AudioBufferList AudioBufferList;

enum : AudioFormatFlags {
    kAudioFormatFlagIsFloat = 1U << 0,
    kAudioFormatFlagIsBigEndian = 1U << 1,
    kAudioFormatFlagIsSignedInteger = 1U << 2,
    kAudioFormatFlagIsPacked = 1U << 3,
    kAudioFormatFlagIsNonInterleaved = 1U << 5,
};

struct AudioStreamBasicDescription {
    Float64 mSampleRate;
    AudioFormatID mFormatID;
    AudioFormatFlags mFormatFlags;
    UInt32 mBytesPerPacket;
    UInt32 mFramesPerPacket;
    UInt32 mBytesPerFrame;
    UInt32 mChannelsPerFrame;
    UInt32 mBitsPerChannel;
    UInt32 mReserved;
};
typedef struct AudioStreamBasicDescription AudioStreamBasicDescription;

struct AudioStreamPacketDescription {
    SInt64 mStartOffset;
    UInt32 mVariableFramesInPacket;
    UInt32 mDataByteSize;
};
typedef struct AudioStreamPacketDescription AudioStreamPacketDescription;

enum : AudioFormatID {
    kAudioFormatLinearPCM = 'lpcm',
    kAudioFormatMPEG4AAC = 'aac ',
    kAudioFormatMPEG4AAC_HE = 'aach',
    kAudioFormatMPEG4AAC_HE_V2 = 'aacp',
};

enum : AudioChannelLayoutTag {
    kAudioChannelLayoutTag_WAVE_3_0 = (113U << 16) | 3,
    kAudioChannelLayoutTag_WAVE_4_0_B = (185U << 16) | 4,
    kAudioChannelLayoutTag_WAVE_5_0_A = (117U << 16) | 5,
    kAudioChannelLayoutTag_WAVE_5_1_A = (121U << 16) | 6,
    kAudioChannelLayoutTag_WAVE_6_1 = (188U << 16) | 7,
    kAudioChannelLayoutTag_WAVE_7_1 = (189U << 16) | 8,
};

NONNULL_END
