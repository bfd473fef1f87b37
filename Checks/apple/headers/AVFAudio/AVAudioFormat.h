// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AVFAudio/AVAudioTypes.h>, AVAudioTime.h, AVAudioChannelLayout.h, AVAudioFormat.h, AVAudioBuffer.h

@import Foundation;
@import CoreAudioTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef long long AVAudioFramePosition;
typedef unsigned int AVAudioFrameCount;
typedef unsigned int AVAudioChannelCount;

@interface AVAudioTime : NSObject
- (instancetype)initWithHostTime:(UInt64)hostTime SWIFT_NAME(init(hostTime:)) SINCE(ios_8_0, macos_10_10);
+ (UInt64)hostTimeForSeconds:(NSTimeInterval)seconds SWIFT_NAME(hostTime(forSeconds:)) SINCE(ios_8_0, macos_10_10);
+ (NSTimeInterval)secondsForHostTime:(UInt64)hostTime SWIFT_NAME(seconds(forHostTime:)) SINCE(ios_8_0, macos_10_10);
@property (readonly, getter=isHostTimeValid) BOOL hostTimeValid SINCE(ios_8_0, macos_10_10);
@property (readonly) UInt64 hostTime SINCE(ios_8_0, macos_10_10);
@property (readonly, getter=isSampleTimeValid) BOOL sampleTimeValid SINCE(ios_8_0, macos_10_10);
@property (readonly) AVAudioFramePosition sampleTime SINCE(ios_8_0, macos_10_10);
@property (readonly) double sampleRate SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioChannelLayout : NSObject
- (nullable instancetype)initWithLayoutTag:(AudioChannelLayoutTag)layoutTag SWIFT_NAME(init(layoutTag:)) SINCE(ios_8_0, macos_10_10);
@property (readonly) AVAudioChannelCount channelCount SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioFormat : NSObject
- (nullable instancetype)initStandardFormatWithSampleRate:(double)sampleRate channels:(AVAudioChannelCount)channels SWIFT_NAME(init(standardFormatWithSampleRate:channels:)) SINCE(ios_8_0, macos_10_10);
- (instancetype)initStandardFormatWithSampleRate:(double)sampleRate channelLayout:(AVAudioChannelLayout *)layout SWIFT_NAME(init(standardFormatWithSampleRate:channelLayout:)) SINCE(ios_8_0, macos_10_10);
@property (readonly) AVAudioChannelCount channelCount SINCE(ios_8_0, macos_10_10);
@property (readonly) double sampleRate SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioBuffer : NSObject
@property (readonly) AVAudioFormat *format SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioPCMBuffer : AVAudioBuffer
- (nullable instancetype)initWithPCMFormat:(AVAudioFormat *)format frameCapacity:(AVAudioFrameCount)frameCapacity SWIFT_NAME(init(pcmFormat:frameCapacity:)) DESIGNATED SINCE(ios_8_0, macos_10_10);
@property (readonly) AVAudioFrameCount frameCapacity SINCE(ios_8_0, macos_10_10);
@property AVAudioFrameCount frameLength SINCE(ios_8_0, macos_10_10);
@property (readonly) float *_Nonnull const *_Nullable floatChannelData SINCE(ios_8_0, macos_10_10);
@end

NONNULL_END
