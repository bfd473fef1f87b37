// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AVFoundation/AVAsset.h>, AVPlayerItem.h, AVPlayer.h, AVQueuePlayer, AVPlayerLooper.h, AVError.h

@import Foundation;
@import CoreMedia;
@import AVFAudio;
#include "AVAssetResourceLoader.h"

NONNULL_BEGIN

@interface AVAsset : NSObject <NSCopying>
@end

SWIFT_SENDABLE
@interface AVURLAsset : AVAsset
- (instancetype)init __attribute__((unavailable));
+ (instancetype)URLAssetWithURL:(NSURL *)URL SWIFT_NAME(init(url:)) SINCE(ios_4_0, macos_10_7);
- (instancetype)initWithURL:(NSURL *)URL options:(nullable NSDictionary<NSString *, id> *)options SWIFT_NAME(init(url:options:)) DESIGNATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly, copy) NSURL *URL SWIFT_NAME(url) SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly) AVAssetResourceLoader *resourceLoader SINCE(ios_6_0, macos_10_9);
@end

typedef CLOSED_ENUM(NSInteger, AVPlayerItemStatus) {
    AVPlayerItemStatusUnknown = 0,
    AVPlayerItemStatusReadyToPlay = 1,
    AVPlayerItemStatusFailed = 2,
} SWIFT_NAME(AVPlayerItem.Status);

SWIFT_UI_ACTOR
@interface AVPlayerItem : NSObject <NSCopying>
- (instancetype)initWithURL:(NSURL *)URL SWIFT_NAME(init(url:)) SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (instancetype)initWithAsset:(AVAsset *)asset SWIFT_NAME(init(asset:)) SINCE(ios_4_0, macos_10_7);
- (instancetype)initWithAsset:(AVAsset *)asset automaticallyLoadedAssetKeys:(nullable NSArray<NSString *> *)automaticallyLoadedAssetKeys SWIFT_NAME(init(asset:automaticallyLoadedAssetKeys:)) DESIGNATED SINCE(ios_7_0, macos_10_9);
- (id)copyWithZone:(nullable NSZone *)zone SWIFT_NONISOLATED;
@property (nonatomic, readonly) AVAsset *asset SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly) AVPlayerItemStatus status SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly, nullable) NSError *error SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly) CMTime duration SWIFT_NONISOLATED SINCE(ios_4_3, macos_10_7);
@property (nonatomic, readonly, getter=isPlaybackLikelyToKeepUp) BOOL playbackLikelyToKeepUp SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly, getter=isPlaybackBufferFull) BOOL playbackBufferFull SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly, getter=isPlaybackBufferEmpty) BOOL playbackBufferEmpty SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic) NSTimeInterval preferredForwardBufferDuration SWIFT_NONISOLATED SINCE(ios_10_0, macos_10_12);
- (CMTime)currentTime SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@end

extern NSNotificationName const AVPlayerItemDidPlayToEndTimeNotification SWIFT_NAME(AVPlayerItem.didPlayToEndTimeNotification) SINCE(ios_4_0, macos_10_7);
extern NSNotificationName const AVPlayerItemFailedToPlayToEndTimeNotification SWIFT_NAME(AVPlayerItem.failedToPlayToEndTimeNotification) SINCE(ios_4_3, macos_10_7);
extern NSNotificationName const AVPlayerItemPlaybackStalledNotification SWIFT_NAME(AVPlayerItem.playbackStalledNotification) SINCE(ios_6_0, macos_10_9);

typedef CLOSED_ENUM(NSInteger, AVPlayerStatus) {
    AVPlayerStatusUnknown = 0,
    AVPlayerStatusReadyToPlay = 1,
    AVPlayerStatusFailed = 2,
} SWIFT_NAME(AVPlayer.Status);

typedef CLOSED_ENUM(NSInteger, AVPlayerTimeControlStatus) {
    AVPlayerTimeControlStatusPaused = 0,
    AVPlayerTimeControlStatusWaitingToPlayAtSpecifiedRate = 1,
    AVPlayerTimeControlStatusPlaying = 2,
} SWIFT_NAME(AVPlayer.TimeControlStatus) SINCE(ios_10_0, macos_10_12);

SWIFT_UI_ACTOR
@interface AVPlayer : NSObject
- (instancetype)init SWIFT_NONISOLATED;
- (instancetype)initWithURL:(NSURL *)URL SWIFT_NAME(init(url:)) SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (instancetype)initWithPlayerItem:(nullable AVPlayerItem *)item SWIFT_NAME(init(playerItem:)) SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly) AVPlayerStatus status SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic, readonly, nullable) NSError *error SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
@property (nonatomic) float rate SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)play SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)pause SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)playImmediatelyAtRate:(float)rate SWIFT_NAME(playImmediately(atRate:)) SWIFT_NONISOLATED SINCE(ios_10_0, macos_10_12);
@property (nonatomic, readonly) AVPlayerTimeControlStatus timeControlStatus SWIFT_NONISOLATED SINCE(ios_10_0, macos_10_12);
@property (nonatomic) BOOL automaticallyWaitsToMinimizeStalling SWIFT_NONISOLATED SINCE(ios_10_0, macos_10_12);
@property (nonatomic, readonly, nullable) AVPlayerItem *currentItem SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)replaceCurrentItemWithPlayerItem:(nullable AVPlayerItem *)item SWIFT_NAME(replaceCurrentItem(with:)) SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (CMTime)currentTime SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)seekToTime:(CMTime)time SWIFT_NAME(seek(to:)) SWIFT_NONISOLATED SINCE(ios_4_0, macos_10_7);
- (void)seekToTime:(CMTime)time completionHandler:(void (SWIFT_SENDABLE ^)(BOOL finished))completionHandler SWIFT_NAME(seek(to:completionHandler:)) SWIFT_NONISOLATED SINCE(ios_5_0, macos_10_7);
@end

extern NSNotificationName const AVPlayerRateDidChangeNotification SWIFT_NAME(AVPlayer.rateDidChangeNotification) SINCE(ios_15_0, macos_12_0);
extern NSString *const AVPlayerRateDidChangeReasonKey SWIFT_NAME(AVPlayer.rateDidChangeReasonKey) SWIFT_UI_ACTOR SINCE(ios_15_0, macos_12_0);

typedef NSString *AVPlayerRateDidChangeReason SWIFT_STRUCT SWIFT_NAME(AVPlayer.RateDidChangeReason);
extern AVPlayerRateDidChangeReason const AVPlayerRateDidChangeReasonSetRateCalled SINCE(ios_15_0, macos_12_0);
extern AVPlayerRateDidChangeReason const AVPlayerRateDidChangeReasonSetRateFailed SINCE(ios_15_0, macos_12_0);
extern AVPlayerRateDidChangeReason const AVPlayerRateDidChangeReasonAudioSessionInterrupted SINCE(ios_15_0, macos_12_0);
extern AVPlayerRateDidChangeReason const AVPlayerRateDidChangeReasonAppBackgrounded SINCE(ios_15_0, macos_12_0);

SWIFT_UI_ACTOR
@interface AVQueuePlayer : AVPlayer
- (AVQueuePlayer *)initWithItems:(NSArray<AVPlayerItem *> *)items SWIFT_NAME(init(items:)) SWIFT_NONISOLATED SINCE(ios_4_1, macos_10_7);
- (NSArray<AVPlayerItem *> *)items SWIFT_NONISOLATED SINCE(ios_4_1, macos_10_7);
- (void)advanceToNextItem SWIFT_NONISOLATED SINCE(ios_4_1, macos_10_7);
@end

extern NSString *const AVFoundationErrorDomain SINCE(ios_4_0, macos_10_7);

typedef ERROR_ENUM(AVFoundationErrorDomain, AVError) {
    AVErrorUnknown = -11800,
    AVErrorMediaServicesWereReset = -11819,
    AVErrorFileFormatNotRecognized = -11828,
    AVErrorContentIsNotAuthorized = -11835,
    AVErrorServerIncorrectlyConfigured = -11850,
    AVErrorContentIsUnavailable = -11863,
};

NONNULL_END
