// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The words of Apple's headers, as far as the declarations here need them. What they mean is told by the attributes of
// Clang that Swift's importer documents.

#ifndef WEIR_APPLE_MACROS
#define WEIR_APPLE_MACROS

// Made by Scripts/apple-check for each pass: SINCE(ios_18_0, macos_15_0) is nothing where the lowest system that is
// checked has the declaration, and `unavailable` where it has not.
#include "Floor.h"

#define NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NONNULL_END _Pragma("clang assume_nonnull end")

#define SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define SWIFT_BRIDGE(type) __attribute__((swift_bridge(#type)))
#define SWIFT_SENDABLE __attribute__((swift_attr("@Sendable")))
#define SWIFT_NONSENDABLE __attribute__((swift_attr("@_nonSendable")))
#define SWIFT_UI_ACTOR __attribute__((swift_attr("@MainActor")))
#define SWIFT_NONISOLATED __attribute__((swift_attr("nonisolated")))
#define SWIFT_STRUCT __attribute__((swift_wrapper(struct)))
#define SWIFT_PRIVATE __attribute__((swift_private))
#define SWIFT_DISFAVOURED_ASYNC __attribute__((swift_async(none)))
#define DISCARDABLE_RESULT __attribute__((swift_attr("@discardableResult")))
#define DESIGNATED __attribute__((objc_designated_initializer))
#define REQUIRES_SUPER __attribute__((objc_requires_super))

#define CLOSED_ENUM(type, name) enum __attribute__((enum_extensibility(closed))) name : type name; enum name : type
#define OPEN_ENUM(type, name) enum __attribute__((enum_extensibility(open))) name : type name; enum name : type
#define OPTIONS(type, name) enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; enum name : type
#define ERROR_ENUM(domain, name) \
    enum __attribute__((enum_extensibility(open), ns_error_domain(domain))) name : NSInteger name; enum name : NSInteger

#endif
