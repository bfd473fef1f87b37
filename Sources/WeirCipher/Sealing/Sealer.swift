// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a publisher encrypts media: the formats that ``Decryption`` reads, as far as anybody should write them.
public enum Sealing: Sendable {
    /// AES-CTR.
    ///
    /// Without a vector a random one is made, and put in front of the file (``InitialVector/prefix``).
    case aesCTR(CipherKey, initialVector: [UInt8]? = nil, initialCounter: UInt64 = 0)
    /// AES-CBC with PKCS#7 padding; the vector as for CTR, but of 16 bytes.
    case aesCBC(CipherKey, initialVector: [UInt8]? = nil)
    /// age v1 for these recipients: one or more public keys, or one passphrase and nothing else.
    case age([AgeRecipient])
}

/// Encrypts a file, piece by piece.
///
/// What comes of it is what ``begin()`` returned, what each ``seal(_:)`` returned, and what ``finish()`` returned, in this
/// order; nothing of it is a file before the last. Memory is bounded by the largest piece and 64 KiB.
public struct Sealer: Sendable {
    private enum Format: Sendable {
        case ctr(CTRSealer)
        case cbc(CBCSealer)
        case age(AgeSealer)
    }

    private var format: Format

    /// Prepares to encrypt.
    ///
    /// - Throws: ``CipherError`` with `invalidSettings`: a vector of a wrong length, recipients that cannot be joined.
    public init(_ sealing: Sealing) throws(CipherError) {
        switch sealing {
        case .aesCTR(let key, let vector, let counter):
            self.format = .ctr(try CTRSealer(key, vector, counter))
        case .aesCBC(let key, let vector):
            self.format = .cbc(try CBCSealer(key, vector))
        case .age(let recipients):
            self.format = .age(try AgeSealer(recipients))
        }
    }

    /// What stands in front: a vector or a header, if any.
    public func begin() -> [UInt8] {
        switch self.format {
        case .ctr(let sealer): sealer.prefix
        case .cbc(let sealer): sealer.prefix
        case .age(let sealer): sealer.prefix
        }
    }

    /// Encrypts the next bytes of the file.
    ///
    /// - Parameter bytes: any number.
    /// - Returns: what can be written now; less or more than was given.
    /// - Throws: ``CipherError`` with `unsupported` if the cryptographic library fails.
    public mutating func seal(_ bytes: UnsafeRawBufferPointer) throws(CipherError) -> [UInt8] {
        switch self.format {
        case .ctr(var sealer):
            defer { self.format = .ctr(sealer) }
            return try sealer.seal(bytes)
        case .cbc(var sealer):
            defer { self.format = .cbc(sealer) }
            return try sealer.seal(bytes)
        case .age(var sealer):
            defer { self.format = .age(sealer) }
            return try sealer.seal(bytes)
        }
    }

    /// The file has ended: encrypts what is left, with padding or as the last chunk.
    ///
    /// - Returns: the end of the encrypted file.
    /// - Throws: as ``seal(_:)``.
    public mutating func finish() throws(CipherError) -> [UInt8] {
        switch self.format {
        case .ctr(var sealer):
            defer { self.format = .ctr(sealer) }
            return try sealer.finish()
        case .cbc(var sealer):
            defer { self.format = .cbc(sealer) }
            return try sealer.finish()
        case .age(var sealer):
            defer { self.format = .age(sealer) }
            return try sealer.finish()
        }
    }
}

/// Bytes that wait until a whole number of units is there.
struct HeldBytes: Sendable {
    private var bytes: [UInt8] = []
    private let unit: Int

    init(unit: Int) {
        self.unit = unit
    }

    /// Adds bytes and takes whole units out.
    ///
    /// - Parameters:
    ///   - more: what comes.
    ///   - keepsLast: whether the last unit stays, though it is whole, since it may be the file's last.
    /// - Returns: whole units, or nothing.
    mutating func take(_ more: UnsafeRawBufferPointer, keepsLast: Bool = false) -> [UInt8] {
        self.bytes += more
        let count = max(0, self.bytes.count - (keepsLast ? 1 : 0)) / self.unit * self.unit
        guard count > 0 else { return [] }
        let rest = Array(self.bytes[count...])
        self.bytes.removeLast(rest.count)
        defer { self.bytes = rest }
        return self.bytes
    }

    /// What is left: less than a unit, or the last one.
    mutating func takeRest() -> [UInt8] {
        defer { self.bytes = [] }
        return self.bytes
    }
}
