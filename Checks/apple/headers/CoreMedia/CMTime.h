// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <CoreMedia/CMTime.h>, CMTimeRange.h

@import CoreFoundationTypes;
#include "../Macros.h"

NONNULL_BEGIN

typedef long long CMTimeValue;
typedef int CMTimeScale;
typedef long long CMTimeEpoch;

typedef OPTIONS(UInt32, CMTimeFlags) {
    kCMTimeFlags_Valid = 1 << 0,
    kCMTimeFlags_HasBeenRounded = 1 << 1,
    kCMTimeFlags_PositiveInfinity = 1 << 2,
    kCMTimeFlags_NegativeInfinity = 1 << 3,
    kCMTimeFlags_Indefinite = 1 << 4,
    kCMTimeFlags_ImpliedValueFlagsMask = 28,
} SINCE(ios_4_0, macos_10_7);

typedef struct {
    CMTimeValue value;
    CMTimeScale timescale;
    CMTimeFlags flags;
    CMTimeEpoch epoch;
} CMTime SINCE(ios_4_0, macos_10_7);

typedef struct {
    CMTime start;
    CMTime duration;
} CMTimeRange SINCE(ios_4_0, macos_10_7);

extern const CMTime kCMTimeZero SWIFT_NAME(CMTime.zero) SINCE(ios_4_0, macos_10_7);
extern const CMTime kCMTimeInvalid SWIFT_NAME(CMTime.invalid) SINCE(ios_4_0, macos_10_7);
extern const CMTime kCMTimeIndefinite SWIFT_NAME(CMTime.indefinite) SINCE(ios_4_0, macos_10_7);
extern const CMTime kCMTimePositiveInfinity SWIFT_NAME(CMTime.positiveInfinity) SINCE(ios_4_0, macos_10_7);

NONNULL_END
