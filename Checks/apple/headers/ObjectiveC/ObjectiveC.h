// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <objc/NSObject.h>, <objc/objc.h>, <objc/runtime.h>

#include "../Macros.h"

NONNULL_BEGIN

typedef _Bool BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef struct _NSZone NSZone;

SWIFT_NAME(NSObjectProtocol)
@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property (readonly) NSUInteger hash;
@property (readonly) Class superclass;
- (BOOL)isProxy;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype)init DESIGNATED;
- (id)copy;
- (id)mutableCopy;
@end

typedef OPEN_ENUM(NSUInteger, objc_AssociationPolicy) {
    OBJC_ASSOCIATION_ASSIGN = 0,
    OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
    OBJC_ASSOCIATION_COPY_NONATOMIC = 3,
    OBJC_ASSOCIATION_RETAIN = 01401,
    OBJC_ASSOCIATION_COPY = 01403,
};

extern void objc_setAssociatedObject(id object, const void *key, id _Nullable value, objc_AssociationPolicy policy) SINCE(ios_3_1, macos_10_6);
extern id _Nullable objc_getAssociatedObject(id object, const void *key) SINCE(ios_3_1, macos_10_6);

NONNULL_END
