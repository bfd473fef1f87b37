// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

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

/// Encrypts with AES-CTR, which is what decrypting is.
struct CTRSealer: Sendable {
    let prefix: [UInt8]
    private let cipher: CTRCipher
    private var held = HeldBytes(unit: AESBlock.size)
    private var block: Int64 = 0

    init(_ key: CipherKey, _ vector: [UInt8]?, _ counter: UInt64) throws(CipherError) {
        self.prefix = vector == nil ? AESBlock.random() : []
        var format = AESFormat(.ctr, initialCounter: counter)
        if let vector { format.initialVector = .bytes(vector) }
        try format.check(with: .key(key))
        let start = AESBlock.number(
            vector.map { $0 + repeatElement(0, count: max(0, AESBlock.size - $0.count)) }
                ?? self.prefix
        )
        self.cipher = CTRCipher(key: key.symmetric, counter: start &+ UInt128(counter))
    }

    mutating func seal(_ bytes: UnsafeRawBufferPointer) throws(CipherError) -> [UInt8] {
        let blocks = self.held.take(bytes)
        defer { self.block += Int64(blocks.count / AESBlock.size) }
        return try self.encrypted(blocks)
    }

    mutating func finish() throws(CipherError) -> [UInt8] {
        try self.encrypted(self.held.takeRest())
    }

    private func encrypted(_ bytes: [UInt8]) throws(CipherError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let sealed = try ByteRun.withBytes(of: bytes) { bytes throws(CipherError) in
            try self.cipher.decrypt(bytes, from: self.block, after: bytes, isLast: false)
        }
        return Array(sealed)
    }
}
