// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// A stub of the part of Apple's CommonCrypto that WeirCipher uses, for a Linux build without Apple's SDK. It
// encrypts and decrypts with its own AES, and checks each call against Apple's documentation: see StubCryptoSystem.
// Names that Apple does not have begin with `stub…` or `Stub…`.

/// The result of a call.
public typealias CCCryptorStatus = Int32
/// The operation: encrypt or decrypt.
public typealias CCOperation = UInt32
/// A mode of operation.
public typealias CCMode = UInt32
/// A cipher.
public typealias CCAlgorithm = UInt32
/// The padding of the last block.
public typealias CCPadding = UInt32
/// Options of a mode.
public typealias CCModeOptions = UInt32
/// A cryptor.
public typealias CCCryptorRef = OpaquePointer

/// Success.
public let kCCSuccess = 0
/// A parameter is invalid.
public let kCCParamError = -4300
/// The output buffer is too small.
public let kCCBufferTooSmall = -4301
/// The input is not a whole number of blocks.
public let kCCAlignmentError = -4303
/// The calls come in the wrong order.
public let kCCCallSequenceError = -4309
/// The key has a wrong length.
public let kCCKeySizeError = -4310

/// Encrypt.
public let kCCEncrypt = 0
/// Decrypt.
public let kCCDecrypt = 1
/// AES.
public let kCCAlgorithmAES = 0
/// Each block alone.
public let kCCModeECB = 1
/// Chained blocks.
public let kCCModeCBC = 2
/// A counter mode.
public let kCCModeCTR = 4
/// No padding.
public let ccNoPadding = 0
/// The padding of PKCS #7.
public let ccPKCS7Padding = 1
/// The counter is big-endian.
public let kCCModeOptionCTR_BE = 2

/// Makes a cryptor.
///
/// <https://developer.apple.com/documentation/commoncrypto/cccryptorcreatewithmode>
public func CCCryptorCreateWithMode(
    _ op: CCOperation,
    _ mode: CCMode,
    _ alg: CCAlgorithm,
    _ padding: CCPadding,
    _ iv: UnsafeRawPointer!,
    _ key: UnsafeRawPointer!,
    _ keyLength: Int,
    _ tweak: UnsafeRawPointer!,
    _ tweakLength: Int,
    _ numRounds: Int32,
    _ options: CCModeOptions,
    _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    let system = StubCryptoSystem.current
    guard let cryptorRef, let key else {
        return system.refuse("a cryptor without a key or a place")
    }
    guard [16, 24, 32].contains(keyLength) else {
        return system.refuse("a key of \(keyLength) bytes", kCCKeySizeError)
    }
    guard alg == kCCAlgorithmAES, op <= 1, padding <= 1 else {
        return system.refuse("operation \(op), cipher \(alg), padding \(padding)")
    }
    guard tweak == nil, tweakLength == 0, numRounds == 0 else {
        return system.refuse("a tweak or rounds of AES")
    }
    var vector: [UInt8] = []
    switch Int(mode) {
    case kCCModeECB where options == 0 && iv == nil: break
    case kCCModeCBC where options == 0 && iv != nil,
        kCCModeCTR where Int(options) == kCCModeOptionCTR_BE && iv != nil && padding == ccNoPadding:
        vector = [UInt8](UnsafeRawBufferPointer(start: iv, count: 16))
    default:
        return system.refuse(
            "mode \(mode) with options \(options), or with a vector it has no use for"
        )
    }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: key, count: keyLength))
    cryptorRef.pointee = system.made(
        StubCryptor(
            cipher: StubAES(key: bytes),
            mode: Int(mode),
            isEncrypting: op == kCCEncrypt,
            isPadded: padding == ccPKCS7Padding,
            vector: vector
        )
    )
    return CCCryptorStatus(kCCSuccess)
}

/// Encrypts or decrypts bytes.
///
/// <https://developer.apple.com/documentation/commoncrypto/cccryptorupdate>
public func CCCryptorUpdate(
    _ cryptorRef: CCCryptorRef!,
    _ dataIn: UnsafeRawPointer!,
    _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int,
    _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    let system = StubCryptoSystem.current
    guard let dataIn, dataInLength > 0, let dataOutMoved else {
        return system.refuse("an update without input, or without a place for its count")
    }
    let input = [UInt8](UnsafeRawBufferPointer(start: dataIn, count: dataInLength))
    return system.run(cryptorRef, dataOut, dataOutAvailable, dataOutMoved) { $0.update(input) }
}

/// Encrypts or decrypts the remaining bytes.
///
/// <https://developer.apple.com/documentation/commoncrypto/cccryptorfinal>
public func CCCryptorFinal(
    _ cryptorRef: CCCryptorRef!,
    _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int,
    _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    let system = StubCryptoSystem.current
    guard let dataOutMoved else { return system.refuse("an end without a place for its count") }
    return system.run(cryptorRef, dataOut, dataOutAvailable, dataOutMoved) { $0.finish() }
}

/// Releases a cryptor.
///
/// <https://developer.apple.com/documentation/commoncrypto/cccryptorrelease>
public func CCCryptorRelease(_ cryptorRef: CCCryptorRef!) -> CCCryptorStatus {
    StubCryptoSystem.current.release(cryptorRef)
}
