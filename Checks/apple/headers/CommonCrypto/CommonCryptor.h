// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <CommonCrypto/CommonCryptor.h>, CommonCryptoError.h: nothing is said of what may be null

#include "../Macros.h"

#include <stddef.h>
#include <stdint.h>

typedef int32_t CCCryptorStatus;
enum {
    kCCSuccess = 0,
};

typedef uint32_t CCOperation;
enum {
    kCCEncrypt = 0,
    kCCDecrypt = 1,
};

typedef uint32_t CCAlgorithm;
enum {
    kCCAlgorithmAES = 0,
};

typedef uint32_t CCMode;
enum {
    kCCModeECB = 1,
    kCCModeCBC = 2,
    kCCModeCTR = 4,
};

typedef uint32_t CCPadding;
enum {
    ccNoPadding = 0,
    ccPKCS7Padding = 1,
};

typedef uint32_t CCModeOptions;
enum {
    kCCModeOptionCTR_BE = 2,
};

typedef struct _CCCryptor *CCCryptorRef;

extern CCCryptorStatus CCCryptorCreateWithMode(CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key, size_t keyLength, const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef) SINCE(ios_5_0, macos_10_7);
extern CCCryptorStatus CCCryptorUpdate(CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved) SINCE(ios_2_0, macos_10_4);
extern CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved) SINCE(ios_2_0, macos_10_4);
extern CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef) SINCE(ios_2_0, macos_10_4);
