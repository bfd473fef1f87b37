// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <Foundation/NSNotification.h>, NSOperation.h

@import ObjectiveC;
#include "NSObjects.h"

NONNULL_BEGIN

@class NSNotification;

typedef NSString *NSNotificationName SWIFT_STRUCT SWIFT_NAME(NSNotification.Name);

SWIFT_BRIDGE(Foundation.Notification)
@interface NSNotification : NSObject <NSCopying>
@property (readonly, copy) NSNotificationName name SINCE(ios_2_0, macos_10_0);
@property (nullable, readonly, retain) id object SINCE(ios_2_0, macos_10_0);
@property (nullable, readonly, copy) NSDictionary *userInfo SINCE(ios_2_0, macos_10_0);
@end

SWIFT_NAME(OperationQueue)
SWIFT_SENDABLE
@interface NSOperationQueue : NSObject
- (void)addOperationWithBlock:(void (SWIFT_SENDABLE ^)(void))block SWIFT_NAME(addOperation(_:)) SINCE(ios_4_0, macos_10_6);
@property NSInteger maxConcurrentOperationCount SINCE(ios_2_0, macos_10_5);
@property (class, readonly, strong) NSOperationQueue *mainQueue SWIFT_NAME(main) SINCE(ios_4_0, macos_10_6);
@end

SWIFT_SENDABLE
@interface NSNotificationCenter : NSObject
@property (class, readonly, strong) NSNotificationCenter *defaultCenter SWIFT_NAME(default) SINCE(ios_2_0, macos_10_0);
- (id<NSObject>)addObserverForName:(nullable NSNotificationName)name object:(nullable id)obj queue:(nullable NSOperationQueue *)queue usingBlock:(void (SWIFT_SENDABLE ^)(NSNotification *notification))block SWIFT_NAME(addObserver(forName:object:queue:using:)) SINCE(ios_4_0, macos_10_6);
- (void)addObserver:(id)observer selector:(SEL)aSelector name:(nullable NSNotificationName)aName object:(nullable id)anObject SINCE(ios_2_0, macos_10_0);
- (void)removeObserver:(id)observer SINCE(ios_2_0, macos_10_0);
- (void)postNotificationName:(NSNotificationName)aName object:(nullable id)anObject userInfo:(nullable NSDictionary *)aUserInfo SWIFT_NAME(post(name:object:userInfo:)) SINCE(ios_2_0, macos_10_0);
@end

NONNULL_END
