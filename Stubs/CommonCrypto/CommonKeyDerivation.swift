// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Crypto
import Foundation

/// A key derivation function.
public typealias CCPBKDFAlgorithm = UInt32
/// A pseudo-random function.
public typealias CCPseudoRandomAlgorithm = UInt32

/// PBKDF2.
public let kCCPBKDF2 = 2
/// HMAC with SHA-1.
public let kCCPRFHmacAlgSHA1 = 1
/// HMAC with SHA-256.
public let kCCPRFHmacAlgSHA256 = 3
/// HMAC with SHA-384.
public let kCCPRFHmacAlgSHA384 = 4
/// HMAC with SHA-512.
public let kCCPRFHmacAlgSHA512 = 5

/// Derives a key.
///
/// <https://developer.apple.com/documentation/commoncrypto/cckeyderivationpbkdf>
public func CCKeyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm,
    _ password: UnsafePointer<CChar>!,
    _ passwordLen: Int,
    _ salt: UnsafePointer<UInt8>!,
    _ saltLen: Int,
    _ prf: CCPseudoRandomAlgorithm,
    _ rounds: UInt32,
    _ derivedKey: UnsafeMutablePointer<UInt8>!,
    _ derivedKeyLen: Int
) -> Int32 {
    let system = StubCryptoSystem.current
    guard algorithm == kCCPBKDF2, let password, salt != nil || saltLen == 0, rounds > 0,
        let derivedKey, derivedKeyLen > 0
    else { return system.refuse("a derivation without a password, rounds or a place") }
    let secret = SymmetricKey(data: UnsafeRawBufferPointer(start: password, count: passwordLen))
    let bytes = [UInt8](UnsafeBufferPointer(start: salt, count: saltLen))
    var derived: [UInt8] = []
    var block: UInt32 = 0
    while derived.count < derivedKeyLen {
        block += 1
        let first = bytes + withUnsafeBytes(of: block.bigEndian) { Array($0) }
        switch Int(prf) {
        case kCCPRFHmacAlgSHA1: derived += Insecure.SHA1.stubBlock(secret, first, rounds)
        case kCCPRFHmacAlgSHA256: derived += SHA256.stubBlock(secret, first, rounds)
        case kCCPRFHmacAlgSHA384: derived += SHA384.stubBlock(secret, first, rounds)
        case kCCPRFHmacAlgSHA512: derived += SHA512.stubBlock(secret, first, rounds)
        default: return system.refuse("the pseudo-random function \(prf)")
        }
    }
    derivedKey.update(from: derived, count: derivedKeyLen)
    return Int32(kCCSuccess)
}

extension HashFunction {
    /// One block of PBKDF2 (RFC 8018 §5.2); not Apple's.
    fileprivate static func stubBlock(
        _ secret: SymmetricKey,
        _ first: [UInt8],
        _ rounds: UInt32
    ) -> [UInt8] {
        var last = Array(HMAC<Self>.authenticationCode(for: first, using: secret))
        var sum = last
        for _ in 1..<rounds {
            last = Array(HMAC<Self>.authenticationCode(for: last, using: secret))
            sum = zip(sum, last).map { $0 ^ $1 }
        }
        return sum
    }
}
