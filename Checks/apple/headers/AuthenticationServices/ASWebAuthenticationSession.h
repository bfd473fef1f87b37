// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AuthenticationServices/ASWebAuthenticationSession.h>, ASWebAuthenticationSessionCallback.h, ASFoundation.h

@import Foundation;
#include "../Macros.h"

NONNULL_BEGIN

// UIKit's UIWindow on iOS, AppKit's NSWindow on macOS: nothing but its name is needed here.
SWIFT_UI_ACTOR
@interface ASWindow : NSObject
@end

typedef ASWindow *ASPresentationAnchor;

extern NSErrorDomain const ASWebAuthenticationSessionErrorDomain SINCE(ios_12_0, macos_10_15);

typedef ERROR_ENUM(ASWebAuthenticationSessionErrorDomain, ASWebAuthenticationSessionErrorCode) {
    ASWebAuthenticationSessionErrorCodeCanceledLogin = 1,
    ASWebAuthenticationSessionErrorCodePresentationContextNotProvided = 2,
    ASWebAuthenticationSessionErrorCodePresentationContextInvalid = 3,
} SWIFT_NAME(ASWebAuthenticationSessionError) SINCE(ios_12_0, macos_10_15);

SWIFT_NAME(ASWebAuthenticationSession.Callback)
SWIFT_SENDABLE
@interface ASWebAuthenticationSessionCallback : NSObject
- (instancetype)init __attribute__((unavailable));
+ (instancetype)callbackWithCustomScheme:(NSString *)customScheme SWIFT_NAME(customScheme(_:)) SINCE(ios_17_4, macos_14_4);
+ (instancetype)callbackWithHTTPSHost:(NSString *)host path:(NSString *)path SWIFT_NAME(https(host:path:)) SINCE(ios_17_4, macos_14_4);
@end

@class ASWebAuthenticationSession;

// tvOS and watchOS have none of it.
SWIFT_UI_ACTOR
@protocol ASWebAuthenticationPresentationContextProviding <NSObject>
- (ASPresentationAnchor)presentationAnchorForWebAuthenticationSession:(ASWebAuthenticationSession *)session SWIFT_NAME(presentationAnchor(for:)) SINCE(ios_13_0, macos_10_15);
@end

typedef void (^ASWebAuthenticationSessionCompletionHandler)(NSURL *_Nullable callbackURL, NSError *_Nullable error) SWIFT_NAME(ASWebAuthenticationSession.CompletionHandler);

@interface ASWebAuthenticationSession : NSObject
@property (nonatomic, weak, nullable) id<ASWebAuthenticationPresentationContextProviding> presentationContextProvider SINCE(ios_13_0, macos_10_15);
@property (nonatomic) BOOL prefersEphemeralWebBrowserSession SINCE(ios_13_0, macos_10_15);
- (instancetype)initWithURL:(NSURL *)URL callback:(ASWebAuthenticationSessionCallback *)callback completionHandler:(ASWebAuthenticationSessionCompletionHandler)completionHandler SINCE(ios_17_4, macos_14_4);
- (instancetype)init __attribute__((unavailable));
- (BOOL)start DISCARDABLE_RESULT SINCE(ios_12_0, macos_10_15);
- (void)cancel SINCE(ios_12_0, macos_10_15);
@end

NONNULL_END
