// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AVFAudio/AVAudioSession.h>, AVAudioSessionTypes.h

@import Foundation;
#include "../Macros.h"

NONNULL_BEGIN

typedef NSString *AVAudioSessionCategory SWIFT_STRUCT SWIFT_NAME(AVAudioSession.Category);
typedef NSString *AVAudioSessionMode SWIFT_STRUCT SWIFT_NAME(AVAudioSession.Mode);

typedef OPTIONS(NSUInteger, AVAudioSessionCategoryOptions) {
    AVAudioSessionCategoryOptionMixWithOthers = 0x1,
    AVAudioSessionCategoryOptionDuckOthers = 0x2,
    AVAudioSessionCategoryOptionBluetoothHighQualityRecording SINCE(ios_26_0, macos_none) = 1 << 19,
} SWIFT_NAME(AVAudioSession.CategoryOptions);

typedef OPTIONS(NSUInteger, AVAudioSessionSetActiveOptions) {
    AVAudioSessionSetActiveOptionNotifyOthersOnDeactivation = 1,
} SWIFT_NAME(AVAudioSession.SetActiveOptions);

typedef OPEN_ENUM(NSUInteger, AVAudioSessionInterruptionType) {
    AVAudioSessionInterruptionTypeBegan = 1,
    AVAudioSessionInterruptionTypeEnded = 0,
} SWIFT_NAME(AVAudioSession.InterruptionType);

typedef OPTIONS(NSUInteger, AVAudioSessionInterruptionOptions) {
    AVAudioSessionInterruptionOptionShouldResume = 1,
} SWIFT_NAME(AVAudioSession.InterruptionOptions);

typedef OPEN_ENUM(NSUInteger, AVAudioSessionInterruptionReason) {
    AVAudioSessionInterruptionReasonDefault = 0,
    AVAudioSessionInterruptionReasonAppWasSuspended __attribute__((deprecated("no longer told"))) = 1,
    AVAudioSessionInterruptionReasonBuiltInMicMuted = 2,
    AVAudioSessionInterruptionReasonRouteDisconnected SINCE(ios_17_0, macos_none) = 4,
} SWIFT_NAME(AVAudioSession.InterruptionReason);

typedef OPEN_ENUM(NSUInteger, AVAudioSessionRouteChangeReason) {
    AVAudioSessionRouteChangeReasonUnknown = 0,
    AVAudioSessionRouteChangeReasonNewDeviceAvailable = 1,
    AVAudioSessionRouteChangeReasonOldDeviceUnavailable = 2,
    AVAudioSessionRouteChangeReasonCategoryChange = 3,
    AVAudioSessionRouteChangeReasonOverride = 4,
    AVAudioSessionRouteChangeReasonWakeFromSleep = 6,
    AVAudioSessionRouteChangeReasonNoSuitableRouteForCategory = 7,
    AVAudioSessionRouteChangeReasonRouteConfigurationChange = 8,
} SWIFT_NAME(AVAudioSession.RouteChangeReason);

SINCE(ios_3_0, macos_none)
@interface AVAudioSession : NSObject
+ (AVAudioSession *)sharedInstance SINCE(ios_3_0, macos_none);
- (BOOL)setCategory:(AVAudioSessionCategory)category error:(NSError **)outError SINCE(ios_3_0, macos_none);
- (BOOL)setCategory:(AVAudioSessionCategory)category mode:(AVAudioSessionMode)mode options:(AVAudioSessionCategoryOptions)options error:(NSError **)outError SINCE(ios_10_0, macos_none);
- (BOOL)setActive:(BOOL)active error:(NSError **)outError SINCE(ios_3_0, macos_none);
- (BOOL)setActive:(BOOL)active withOptions:(AVAudioSessionSetActiveOptions)options error:(NSError **)outError SWIFT_NAME(setActive(_:options:)) SINCE(ios_6_0, macos_none);
@property (readonly, getter=isOtherAudioPlaying) BOOL otherAudioPlaying SINCE(ios_6_0, macos_none);
@end

extern AVAudioSessionCategory const AVAudioSessionCategoryPlayback SINCE(ios_3_0, macos_none);
extern AVAudioSessionMode const AVAudioSessionModeDefault SINCE(ios_5_0, macos_none);

extern NSNotificationName const AVAudioSessionInterruptionNotification SWIFT_NAME(AVAudioSession.interruptionNotification) SINCE(ios_6_0, macos_none);
extern NSNotificationName const AVAudioSessionRouteChangeNotification SWIFT_NAME(AVAudioSession.routeChangeNotification) SINCE(ios_6_0, macos_none);
extern NSNotificationName const AVAudioSessionMediaServicesWereLostNotification SWIFT_NAME(AVAudioSession.mediaServicesWereLostNotification) SINCE(ios_7_0, macos_none);
extern NSNotificationName const AVAudioSessionMediaServicesWereResetNotification SWIFT_NAME(AVAudioSession.mediaServicesWereResetNotification) SINCE(ios_6_0, macos_none);

extern NSString *const AVAudioSessionInterruptionTypeKey SINCE(ios_6_0, macos_none);
extern NSString *const AVAudioSessionInterruptionOptionKey SINCE(ios_6_0, macos_none);
extern NSString *const AVAudioSessionInterruptionReasonKey SINCE(ios_14_5, macos_none);
extern NSString *const AVAudioSessionRouteChangeReasonKey SINCE(ios_6_0, macos_none);

NONNULL_END
