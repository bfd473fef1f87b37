// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// How a publisher encrypts media: the formats of ``Decryption`` that suit new files.
public enum Sealing: Sendable {
    /// AES-CTR.
    ///
    /// Without a vector, a random one is made and written at the start of the file
    /// (``InitialVector/prefix``).
    case aesCTR(CipherKey, initialVector: [UInt8]? = nil, initialCounter: UInt64 = 0)
    /// AES-CBC with PKCS#7 padding; the vector as for CTR, but always 16 bytes.
    case aesCBC(CipherKey, initialVector: [UInt8]? = nil)
    /// age v1 for these recipients: one or more public keys, or exactly one passphrase.
    case age([AgeRecipient])
}

/// Encrypts a file, piece by piece.
///
/// The encrypted file consists of the results of ``begin()``, of each ``seal(_:)`` and of
/// ``finish()``, in this order. Without the result of ``finish()`` it is incomplete. Memory is
/// bounded: a few buffers, each as large as the largest piece and 64 KiB.
public struct Sealer: Sendable {
    private enum Method: Sendable {
        case ctr(AESCipher)
        /// The vector; after the first call, the last encrypted block.
        case cbc(SymmetricKey, vector: [UInt8])
        case age(AgePayload)
    }

    private let prefix: [UInt8]
    private var method: Method
    /// Bytes that do not yet fill a unit: a block, or for age a chunk.
    private var pending: [UInt8] = []
    /// The number of the next unit; unused for CBC.
    private var unit: Int64 = 0

    /// Creates a sealer.
    ///
    /// - Throws: ``CipherError`` with `invalidSettings` for a vector of a wrong length, for
    ///   recipients that cannot be combined, and for a work factor out of range; with `invalidKey`
    ///   for an empty passphrase or a weak public key; with `tooCostly` if there is not enough
    ///   memory for a passphrase.
    public init(_ sealing: Sealing) throws(CipherError) {
        switch sealing {
        case .aesCTR(let key, let vector, let counter):
            var format = AESFormat(.ctr, initialCounter: counter)
            self.prefix = try Self.prepare(&format, key, vector)
            self.method = .ctr(try format.cipher(KeyMaterial(key), prefix: self.prefix))
        case .aesCBC(let key, let vector):
            var format = AESFormat(.cbc)
            self.prefix = try Self.prepare(&format, key, vector)
            self.method = .cbc(key.symmetric, vector: vector ?? self.prefix)
        case .age(let recipients):
            let fileKey = SecretBytes(count: AgeStanza.fileKeyCount) { bytes in
                var generator = SystemRandomNumberGenerator()
                for index in bytes.indices {
                    bytes[index] = .random(in: .min ... .max, using: &generator)
                }
            }
            let nonce = [UInt8].random(count: AgePayload.nonceSize)
            self.prefix = try AgeHeader.bytes(fileKey: fileKey, for: recipients) + nonce
            self.method = .age(AgePayload(fileKey: fileKey, nonce: nonce))
        }
    }

    /// Checks the settings.
    ///
    /// - Returns: a random vector for the start of the file; empty if a vector was given.
    private static func prepare(
        _ format: inout AESFormat,
        _ key: CipherKey,
        _ vector: [UInt8]?
    ) throws(CipherError) -> [UInt8] {
        if let vector { format.initialVector = .bytes(vector) }
        try format.check(with: .key(key))
        return vector == nil ? .random(count: AESFormat.blockSize) : []
    }

    /// The start of the encrypted file: a vector or a header, if any.
    public func begin() -> [UInt8] { self.prefix }

    /// Encrypts the next bytes of the file.
    ///
    /// - Parameter bytes: any number of bytes.
    /// - Returns: the bytes to write now, possibly fewer or more than were given.
    /// - Throws: ``CipherError`` with `unsupported` if the cryptographic library fails.
    public mutating func seal(_ bytes: UnsafeRawBufferPointer) throws(CipherError) -> [UInt8] {
        self.pending += bytes
        let count: Int
        if case .age(let payload) = self.method {
            // The last chunk is kept, even if it is full: it may be the file's last.
            count = max(0, self.pending.count - 1) / payload.chunkSize * payload.chunkSize
        } else {
            count = self.pending.count / AESFormat.blockSize * AESFormat.blockSize
        }
        guard count > 0 else { return [] }
        let units = Array(self.pending[..<count])
        self.pending.removeFirst(count)
        return try self.encrypted(units, isLast: false)
    }

    /// Ends the file: encrypts the remaining bytes, with padding or as the last chunk.
    ///
    /// - Returns: the end of the encrypted file.
    /// - Throws: the errors of ``seal(_:)``.
    public mutating func finish() throws(CipherError) -> [UInt8] {
        let rest = self.pending
        self.pending = []
        return try self.encrypted(rest, isLast: true)
    }

    private mutating func encrypted(_ bytes: [UInt8], isLast: Bool) throws(CipherError) -> [UInt8] {
        switch self.method {
        case .ctr(let cipher):
            guard !bytes.isEmpty else { return [] }
            let first = self.unit
            self.unit += Int64(bytes.count / AESFormat.blockSize)
            // In counter mode, encryption and decryption are the same.
            return Array(
                try bytes.withRawBytes { bytes throws(CipherError) in
                    try cipher.decrypt(bytes, from: first, after: bytes, isLast: false)
                }
            )
        case .cbc(let key, let vector):
            let sealed = Array(
                try bytes.withRawBytes { bytes throws(CipherError) in
                    try SystemCipherLibrary.encryptChained(
                        bytes,
                        vector: vector,
                        key: key,
                        isPadded: isLast
                    )
                }
            )
            self.method = .cbc(key, vector: Array(sealed.suffix(AESFormat.blockSize)))
            return sealed
        case .age(let payload):
            var sealed: [UInt8] = []
            // A file without content has one empty chunk.
            for start in stride(from: 0, to: max(1, bytes.count), by: payload.chunkSize) {
                let chunk = Array(bytes[start...].prefix(payload.chunkSize))
                let number = self.unit
                self.unit += 1
                sealed += try chunk.withRawBytes { chunk throws(CipherError) in
                    try payload.seal(chunk, number, isLast: isLast)
                }
            }
            return sealed
        }
    }
}
