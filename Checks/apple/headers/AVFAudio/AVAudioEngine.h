// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AVFAudio/AVAudioNode.h>, AVAudioIONode.h, AVAudioMixerNode.h, AVAudioPlayerNode.h, AVAudioEngine.h

@import Foundation;
#include "AVAudioFormat.h"

NONNULL_BEGIN

@interface AVAudioNode : NSObject
@property (nullable, readonly) AVAudioTime *lastRenderTime SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioMixerNode : AVAudioNode
@end

@interface AVAudioIONode : AVAudioNode
@property (readonly) NSTimeInterval presentationLatency SINCE(ios_8_0, macos_10_10);
@end

@interface AVAudioOutputNode : AVAudioIONode
@end

typedef OPEN_ENUM(NSInteger, AVAudioPlayerNodeCompletionCallbackType) {
    AVAudioPlayerNodeCompletionDataConsumed = 0,
    AVAudioPlayerNodeCompletionDataRendered = 1,
    AVAudioPlayerNodeCompletionDataPlayedBack = 2,
} SINCE(ios_11_0, macos_10_13);

typedef void (SWIFT_SENDABLE ^AVAudioPlayerNodeCompletionHandler)(AVAudioPlayerNodeCompletionCallbackType callbackType);

@interface AVAudioPlayerNode : AVAudioNode
- (instancetype)init;
- (void)scheduleBuffer:(AVAudioPCMBuffer *)buffer completionCallbackType:(AVAudioPlayerNodeCompletionCallbackType)callbackType completionHandler:(nullable AVAudioPlayerNodeCompletionHandler)completionHandler SWIFT_NAME(scheduleBuffer(_:completionCallbackType:completionHandler:)) SINCE(ios_11_0, macos_10_13);
- (void)play SINCE(ios_8_0, macos_10_10);
- (void)playAtTime:(nullable AVAudioTime *)when SWIFT_NAME(play(at:)) SINCE(ios_8_0, macos_10_10);
- (void)pause SINCE(ios_8_0, macos_10_10);
- (void)stop SINCE(ios_8_0, macos_10_10);
- (nullable AVAudioTime *)playerTimeForNodeTime:(AVAudioTime *)nodeTime SWIFT_NAME(playerTime(forNodeTime:)) SINCE(ios_8_0, macos_10_10);
@property (readonly, getter=isPlaying) BOOL playing SINCE(ios_8_0, macos_10_10);
@end

extern NSNotificationName const AVAudioEngineConfigurationChangeNotification SINCE(ios_8_0, macos_10_10);

@interface AVAudioEngine : NSObject
- (instancetype)init;
- (void)attachNode:(AVAudioNode *)node SWIFT_NAME(attach(_:)) SINCE(ios_8_0, macos_10_10);
- (void)detachNode:(AVAudioNode *)node SWIFT_NAME(detach(_:)) SINCE(ios_8_0, macos_10_10);
- (void)connect:(AVAudioNode *)node1 to:(AVAudioNode *)node2 format:(nullable AVAudioFormat *)format SINCE(ios_8_0, macos_10_10);
- (void)disconnectNodeOutput:(AVAudioNode *)node SINCE(ios_8_0, macos_10_10);
- (void)prepare SINCE(ios_8_0, macos_10_10);
- (BOOL)startAndReturnError:(NSError **)outError SWIFT_NAME(start()) SINCE(ios_8_0, macos_10_10);
- (void)pause SINCE(ios_8_0, macos_10_10);
- (void)reset SINCE(ios_8_0, macos_10_10);
- (void)stop SINCE(ios_8_0, macos_10_10);
@property (readonly, nonatomic) AVAudioOutputNode *outputNode SINCE(ios_8_0, macos_10_10);
@property (readonly, nonatomic) AVAudioMixerNode *mainMixerNode SINCE(ios_8_0, macos_10_10);
@property (readonly, nonatomic, getter=isRunning) BOOL running SINCE(ios_8_0, macos_10_10);
@property (readonly, nonatomic, getter=isInManualRenderingMode) BOOL inManualRenderingMode SINCE(ios_11_0, macos_10_13);
@end

NONNULL_END
