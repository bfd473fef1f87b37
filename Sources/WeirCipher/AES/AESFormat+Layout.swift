// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto

extension AESFormat {
    /// Where the blocks of a file lie.
    ///
    /// - Parameters:
    ///   - prefix: stored bytes that are no part of the plain file.
    ///   - storedLength: bytes of the file, if that is known.
    ///   - paddingLength: bytes that fill up the last block; 0 where there are none.
    /// - Returns: the layout; without an end while nobody knows it.
    /// - Throws: ``CipherError`` with `damaged` for a length that no file can have.
    func layout(
        prefix: Int64,
        storedLength: Int64?,
        paddingLength: Int64
    ) throws(CipherError) -> StoredLayout {
        let size = Int64(AESBlock.size)
        var layout = StoredLayout(
            prefix: prefix,
            clear: self.plainHeaderLength,
            plainUnit: size,
            storedUnit: size,
            lookBehind: self.mode == .cbc ? size : 0,
            isLastSpecial: self.isPadded
        )
        guard let storedLength else { return layout }
        guard storedLength >= prefix, storedLength - prefix >= paddingLength else {
            throw .cutOff
        }
        layout.storedLength = storedLength
        let payload = storedLength - layout.firstUnit
        if payload < 0 {
            // A file that is shorter than its header has nothing that is encrypted.
            layout.clear = storedLength - prefix
        } else if self.mode != .ctr {
            guard payload.isMultiple(of: size) else { throw .cutOff }
            guard !self.isPadded || payload >= size else { throw .cutOff }
        }
        layout.plainLength = storedLength - prefix - paddingLength
        return layout
    }

    /// Whether the last block is filled up in a way that only shows when it is decrypted.
    var isPadded: Bool { self.mode != .ctr && self.padding == .pkcs7 }

    /// The cipher of a resource.
    ///
    /// - Parameters:
    ///   - material: the key, and the vector if it comes with the key.
    ///   - prefix: the first bytes of the file, as far as they are no part of the plain one.
    /// - Returns: what decrypts its blocks.
    /// - Throws: ``CipherError`` with `invalidSettings` for a key that should bring a vector and brings none.
    func cipher(_ material: KeyMaterial, prefix: [UInt8]) throws(CipherError) -> any UnitCipher {
        let key = material.key.symmetric
        switch self.mode {
        case .ecb: return ECBCipher(key: key, padding: self.padding)
        case .cbc:
            return CBCCipher(
                key: key,
                initialVector: try self.vector(material, prefix),
                padding: self.padding
            )
        case .ctr:
            let start = AESBlock.number(try self.vector(material, prefix))
            return CTRCipher(key: key, counter: start &+ UInt128(self.initialCounter))
        }
    }

    private func vector(_ material: KeyMaterial, _ prefix: [UInt8]) throws(CipherError) -> [UInt8] {
        switch self.initialVector {
        case .bytes(let bytes):
            return bytes + repeatElement(0, count: max(0, AESBlock.size - bytes.count))
        case .prefix: return prefix
        case .fromKey:
            guard let vector = material.initialVector, vector.count == AESBlock.size else {
                throw CipherError(
                    .invalidSettings,
                    "The initialization vector was to come with the key, and none of 16 bytes came; check the key provider."
                )
            }
            return vector
        }
    }

    /// What tells the plain bytes that this format and key make of a file from those that others make.
    ///
    /// A keyed hash, of which nothing of the key can be learnt.
    func fingerprint(_ material: KeyMaterial, prefix: [UInt8]) throws(CipherError) -> UInt64 {
        var text = "weir plain generation \(self.mode) \(self.padding) \(self.initialCounter)"
        text += " \(self.plainHeaderLength)"
        if self.mode != .ecb { text += " \(try self.vector(material, prefix))" }
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8),
            using: material.key.symmetric
        )
        return code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self).littleEndian }
    }
}
