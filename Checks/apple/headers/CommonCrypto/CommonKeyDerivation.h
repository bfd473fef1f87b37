// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <CommonCrypto/CommonKeyDerivation.h>: nothing is said of what may be null

#include "../Macros.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t CCPBKDFAlgorithm;
enum {
    kCCPBKDF2 = 2,
};

typedef uint32_t CCPseudoRandomAlgorithm;
enum {
    kCCPRFHmacAlgSHA1 = 1,
    kCCPRFHmacAlgSHA256 = 3,
    kCCPRFHmacAlgSHA384 = 4,
    kCCPRFHmacAlgSHA512 = 5,
};

extern int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen) SINCE(ios_5_0, macos_10_7);
