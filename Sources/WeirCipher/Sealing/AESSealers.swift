// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// Encrypts with AES-CBC and PKCS#7 padding.
struct CBCSealer: Sendable {
    let prefix: [UInt8]
    private let key: SymmetricKey
    private var vector: [UInt8]
    private var held = HeldBytes(unit: AESBlock.size)

    init(_ key: CipherKey, _ vector: [UInt8]?) throws(CipherError) {
        var format = AESFormat(.cbc)
        if let vector { format.initialVector = .bytes(vector) }
        try format.check(with: .key(key))
        self.prefix = vector == nil ? AESBlock.random() : []
        self.key = key.symmetric
        self.vector = vector ?? self.prefix
    }

    mutating func seal(_ bytes: UnsafeRawBufferPointer) throws(CipherError) -> [UInt8] {
        try self.encrypted(self.held.take(bytes), isLast: false)
    }

    mutating func finish() throws(CipherError) -> [UInt8] {
        try self.encrypted(self.held.takeRest(), isLast: true)
    }

    private mutating func encrypted(_ bytes: [UInt8], isLast: Bool) throws(CipherError) -> [UInt8] {
        guard isLast || !bytes.isEmpty else { return [] }
        do {
            let sealed = try AES._CBC.encrypt(
                bytes,
                using: self.key,
                iv: AES._CBC.IV(ivBytes: self.vector),
                noPadding: !isLast
            )
            self.vector = Array(sealed.suffix(AESBlock.size))
            return Array(sealed)
        } catch { throw AESBlock.refusal }
    }
}
