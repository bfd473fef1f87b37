// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AudioToolbox/AudioFileStream.h>, AudioFile.h, AudioFormat.h

@import CoreAudioTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef struct OpaqueAudioFileStreamID *AudioFileStreamID;
typedef UInt32 AudioFileStreamPropertyID;
typedef UInt32 AudioFileTypeID;

typedef OPTIONS(UInt32, AudioFileStreamPropertyFlags) {
    kAudioFileStreamPropertyFlag_PropertyIsCached = 1,
    kAudioFileStreamPropertyFlag_CacheProperty = 2,
};

typedef OPTIONS(UInt32, AudioFileStreamParseFlags) {
    kAudioFileStreamParseFlag_Discontinuity = 1,
};

enum : AudioFileTypeID {
    kAudioFileAAC_ADTSType = 'adts',
};

enum : AudioFileStreamPropertyID {
    kAudioFileStreamProperty_ReadyToProducePackets = 'redy',
    kAudioFileStreamProperty_FormatList = 'flst',
};

struct AudioFormatListItem {
    AudioStreamBasicDescription mASBD;
    AudioChannelLayoutTag mChannelLayoutTag;
};
typedef struct AudioFormatListItem AudioFormatListItem;

typedef void (*AudioFileStream_PropertyListenerProc)(void *inClientData, AudioFileStreamID inAudioFileStream, AudioFileStreamPropertyID inPropertyID, AudioFileStreamPropertyFlags *ioFlags);
typedef void (*AudioFileStream_PacketsProc)(void *inClientData, UInt32 inNumberBytes, UInt32 inNumberPackets, const void *inInputData, AudioStreamPacketDescription *_Nullable inPacketDescriptions);

extern OSStatus AudioFileStreamOpen(void *_Nullable inClientData, AudioFileStream_PropertyListenerProc inPropertyListenerProc, AudioFileStream_PacketsProc inPacketsProc, AudioFileTypeID inFileTypeHint, AudioFileStreamID _Nullable *_Nonnull outAudioFileStream) SINCE(ios_2_0, macos_10_5);
extern OSStatus AudioFileStreamParseBytes(AudioFileStreamID inAudioFileStream, UInt32 inDataByteSize, const void *_Nullable inData, AudioFileStreamParseFlags inFlags) SINCE(ios_2_0, macos_10_5);
extern OSStatus AudioFileStreamGetPropertyInfo(AudioFileStreamID inAudioFileStream, AudioFileStreamPropertyID inPropertyID, UInt32 *_Nullable outPropertyDataSize, Boolean *_Nullable outWritable) SINCE(ios_2_0, macos_10_5);
extern OSStatus AudioFileStreamGetProperty(AudioFileStreamID inAudioFileStream, AudioFileStreamPropertyID inPropertyID, UInt32 *ioPropertyDataSize, void *outPropertyData) SINCE(ios_2_0, macos_10_5);
extern OSStatus AudioFileStreamClose(AudioFileStreamID inAudioFileStream) SINCE(ios_2_0, macos_10_5);

NONNULL_END
