// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AuthenticationServices/ASWebAuthenticationSession.h>, ASWebAuthenticationSessionCallback.h

@import Foundation;
#include "../Macros.h"

NONNULL_BEGIN

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
@end

@interface ASWebAuthenticationSession : NSObject
@end

NONNULL_END
