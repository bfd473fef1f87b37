// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AudioToolbox/AudioConverter.h>, AudioCodec.h

@import CoreAudioTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef struct OpaqueAudioConverter *AudioConverterRef;
typedef UInt32 AudioConverterPropertyID;

enum : AudioConverterPropertyID {
    kAudioConverterPrimeMethod = 'prmm',
    kAudioConverterPrimeInfo = 'prim',
    kAudioConverterDecompressionMagicCookie = 'dmgc',
};

enum : UInt32 {
    kConverterPrimeMethod_Pre = 0,
    kConverterPrimeMethod_Normal = 1,
    kConverterPrimeMethod_None = 2,
};

enum : OSStatus {
    kAudioConverterErr_FormatNotSupported = 'fmt?',
    kAudioConverterErr_OperationNotSupported = 0x6F703F3F,
    kAudioConverterErr_PropertyNotSupported = 'prop',
    kAudioConverterErr_UnspecifiedError = 'what',
    kAudioConverterErr_RequiresPacketDescriptionsError = '!pkd',
};

enum : OSStatus {
    kAudioCodecIllegalOperationError = 'nope',
    kAudioCodecStateError = '!stt',
    kAudioCodecBadDataError = 'bada',
};

struct AudioConverterPrimeInfo {
    UInt32 leadingFrames;
    UInt32 trailingFrames;
};
typedef struct AudioConverterPrimeInfo AudioConverterPrimeInfo;

typedef OSStatus (*AudioConverterComplexInputDataProc)(AudioConverterRef inAudioConverter, UInt32 *ioNumberDataPackets, AudioBufferList *ioData, AudioStreamPacketDescription *_Nullable *_Nullable outDataPacketDescription, void *_Nullable inUserData);

extern OSStatus AudioConverterNew(const AudioStreamBasicDescription *inSourceFormat, const AudioStreamBasicDescription *inDestinationFormat, AudioConverterRef _Nullable *_Nonnull outAudioConverter) SINCE(ios_2_0, macos_10_1);
extern OSStatus AudioConverterDispose(AudioConverterRef inAudioConverter) SINCE(ios_2_0, macos_10_1);
extern OSStatus AudioConverterReset(AudioConverterRef inAudioConverter) SINCE(ios_2_0, macos_10_1);
extern OSStatus AudioConverterSetProperty(AudioConverterRef inAudioConverter, AudioConverterPropertyID inPropertyID, UInt32 inPropertyDataSize, const void *inPropertyData) SINCE(ios_2_0, macos_10_1);
extern OSStatus AudioConverterFillComplexBuffer(AudioConverterRef inAudioConverter, AudioConverterComplexInputDataProc inInputDataProc, void *_Nullable inInputDataProcUserData, UInt32 *ioOutputDataPacketSize, AudioBufferList *outOutputData, AudioStreamPacketDescription *_Nullable outPacketDescription) SINCE(ios_2_0, macos_10_2);

NONNULL_END
