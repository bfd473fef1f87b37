// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <Security/SecItem.h>, SecBase.h

@import CoreFoundationTypes;
#include "../Macros.h"

#pragma clang arc_cf_code_audited begin
NONNULL_BEGIN

enum : OSStatus {
    errSecSuccess = 0,
    errSecDuplicateItem = -25299,
    errSecItemNotFound = -25300,
};

extern const CFStringRef kSecClass SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecClassGenericPassword SINCE(ios_2_0, macos_10_7);
extern const CFStringRef kSecAttrAccessible SINCE(ios_4_0, macos_10_9);
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly SINCE(ios_4_0, macos_10_9);
extern const CFStringRef kSecAttrAccount SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecAttrService SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecMatchLimit SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecMatchLimitOne SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecReturnData SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecValueData SINCE(ios_2_0, macos_10_6);
extern const CFStringRef kSecUseDataProtectionKeychain SINCE(ios_13_0, macos_10_15);

extern OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef _Nullable *_Nullable __attribute__((cf_returns_retained)) result) SINCE(ios_2_0, macos_10_6);
extern OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable __attribute__((cf_returns_retained)) result) SINCE(ios_2_0, macos_10_6);
extern OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate) SINCE(ios_2_0, macos_10_6);
extern OSStatus SecItemDelete(CFDictionaryRef query) SINCE(ios_2_0, macos_10_6);
extern CFStringRef _Nullable SecCopyErrorMessageString(OSStatus status, void *_Nullable reserved) __attribute__((cf_returns_retained)) SINCE(ios_11_3, macos_10_3);

NONNULL_END
#pragma clang arc_cf_code_audited end
