// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <Foundation/NSString.h>, NSValue.h, NSArray.h, NSDictionary.h, NSData.h, NSDate.h, NSURL.h, NSError.h, NSProgress.h, NSFileHandle.h

@import ObjectiveC;
@import CoreFoundationTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef double NSTimeInterval SWIFT_NAME(TimeInterval);

@protocol NSCopying
- (id)copyWithZone:(nullable NSZone *)zone;
@end

SWIFT_BRIDGE(Swift.String)
SWIFT_SENDABLE
@interface NSString : NSObject <NSCopying>
@end

SWIFT_BRIDGE(Swift.Array)
@interface NSArray<__covariant ObjectType> : NSObject <NSCopying>
@end

SWIFT_BRIDGE(Swift.Dictionary)
@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject <NSCopying>
@end

SWIFT_BRIDGE(FoundationEssentials.Data)
@interface NSData : NSObject <NSCopying>
@end

SWIFT_BRIDGE(FoundationEssentials.Date)
SWIFT_SENDABLE
@interface NSDate : NSObject <NSCopying>
@end

SWIFT_BRIDGE(FoundationEssentials.URL)
SWIFT_SENDABLE
@interface NSURL : NSObject <NSCopying>
@end

@interface NSValue : NSObject <NSCopying>
@end

SWIFT_SENDABLE
@interface NSNumber : NSValue
- (NSNumber *)initWithInteger:(NSInteger)value SWIFT_NAME(init(value:)) SINCE(ios_2_0, macos_10_5);
@property (readonly) NSInteger integerValue SWIFT_NAME(intValue) SINCE(ios_2_0, macos_10_5);
@property (readonly) NSUInteger unsignedIntegerValue SWIFT_NAME(uintValue) SINCE(ios_2_0, macos_10_5);
@property (readonly) double doubleValue SINCE(ios_2_0, macos_10_0);
@property (readonly) BOOL boolValue SINCE(ios_2_0, macos_10_0);
@end

// The class behind dispatch_queue_t; to Swift it is the class of Dispatch.
SWIFT_BRIDGE(Dispatch.DispatchQueue)
SWIFT_SENDABLE
@interface OS_dispatch_queue : NSObject
@end

typedef NSString *NSErrorDomain;
typedef NSString *NSErrorUserInfoKey;

extern NSErrorDomain const NSCocoaErrorDomain SINCE(ios_2_0, macos_10_0);
extern NSErrorDomain const NSPOSIXErrorDomain SINCE(ios_2_0, macos_10_0);
extern NSErrorDomain const NSOSStatusErrorDomain SINCE(ios_2_0, macos_10_0);
extern NSErrorDomain const NSURLErrorDomain SINCE(ios_2_0, macos_10_2);
extern NSErrorUserInfoKey const NSUnderlyingErrorKey SINCE(ios_2_0, macos_10_0);
extern NSErrorUserInfoKey const NSLocalizedDescriptionKey SINCE(ios_2_0, macos_10_0);
extern NSErrorUserInfoKey const NSDebugDescriptionErrorKey SINCE(ios_2_0, macos_10_0);
extern NSErrorUserInfoKey const NSFilePathErrorKey SINCE(ios_2_0, macos_10_0);

SWIFT_BRIDGE(Swift.Error)
SWIFT_SENDABLE
@interface NSError : NSObject <NSCopying>
- (instancetype)initWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id> *)dict DESIGNATED SINCE(ios_2_0, macos_10_0);
@property (readonly, copy) NSErrorDomain domain SINCE(ios_2_0, macos_10_0);
@property (readonly) NSInteger code SINCE(ios_2_0, macos_10_0);
@property (readonly, copy) NSDictionary<NSErrorUserInfoKey, id> *userInfo SINCE(ios_2_0, macos_10_0);
@property (readonly, copy) NSString *localizedDescription SINCE(ios_2_0, macos_10_0);
@end

SWIFT_SENDABLE
SWIFT_NAME(Progress)
@interface NSProgress : NSObject
@property long long totalUnitCount SINCE(ios_7_0, macos_10_9);
@property long long completedUnitCount SINCE(ios_7_0, macos_10_9);
@property (readonly, getter=isCancelled) BOOL cancelled SINCE(ios_7_0, macos_10_9);
@property (nullable, copy) void (SWIFT_SENDABLE ^cancellationHandler)(void) SINCE(ios_7_0, macos_10_9);
@end

SWIFT_NAME(FileHandle)
@interface NSFileHandle : NSObject
- (instancetype)initWithFileDescriptor:(int)fd closeOnDealloc:(BOOL)closeopt DESIGNATED SINCE(ios_2_0, macos_10_0);
+ (nullable instancetype)fileHandleForWritingToURL:(NSURL *)url error:(out NSError **)error SWIFT_NAME(init(forWritingTo:)) SINCE(ios_4_0, macos_10_6);
- (BOOL)synchronizeAndReturnError:(out NSError **)error SWIFT_NAME(synchronize()) SINCE(ios_13_0, macos_10_15);
- (BOOL)closeAndReturnError:(out NSError **)error SWIFT_NAME(close()) SINCE(ios_13_0, macos_10_15);
@end

NONNULL_END
