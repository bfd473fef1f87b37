// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <CoreFoundation/CFBase.h> and what is toll-free bridged

#include "../Macros.h"

NONNULL_BEGIN

typedef signed int SInt32;
typedef unsigned int UInt32;
typedef signed short SInt16;
typedef unsigned short UInt16;
typedef unsigned char UInt8;
typedef signed long long SInt64;
typedef unsigned long long UInt64;
typedef float Float32;
typedef double Float64;
typedef UInt32 FourCharCode;
typedef SInt32 OSStatus;
typedef unsigned char Boolean;

enum : OSStatus { noErr = 0 };


typedef const void *CFTypeRef;
typedef const struct __attribute__((objc_bridge(NSString))) __CFString *CFStringRef;
typedef const struct __attribute__((objc_bridge(NSDictionary))) __CFDictionary *CFDictionaryRef;
typedef const struct __attribute__((objc_bridge(NSData))) __CFData *CFDataRef;
typedef const struct __attribute__((objc_bridge(NSError))) __CFError *CFErrorRef;
typedef const struct __attribute__((objc_bridge(NSNumber))) __CFBoolean *CFBooleanRef;

extern const CFBooleanRef kCFBooleanTrue SINCE(ios_2_0, macos_10_0);
extern const CFBooleanRef kCFBooleanFalse SINCE(ios_2_0, macos_10_0);

NONNULL_END
