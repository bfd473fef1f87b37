// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The payload of an age file: chunks of 64 KiB, each encrypted and authenticated separately.
///
/// This is the STREAM construction of the age specification.
///
///     | header | nonce (16) | chunk 0 | chunk 1 | … | last chunk |
///
/// A chunk has 65,536 plain bytes and a tag of 16 bytes. The last chunk has 1 to 65,536 plain
/// bytes and the tag. A file without content has one empty chunk.
///
/// The nonce of a chunk is its number, 11 bytes big-endian, and a byte that is 1 for the last
/// chunk. So chunks cannot be reordered, and a file that was cut off between two chunks has no
/// chunk with a 1.
struct AgePayload: UnitCipher {
    /// The size of a tag in bytes.
    static let tagSize = 16
    /// The size of the nonce at the start of the payload, in bytes.
    static let nonceSize = 16
    /// The size of a chunk's nonce in bytes.
    private static let chunkNonceSize = 12
    /// The plain bytes of a chunk.
    static let chunkSize = 64 * 1024

    /// The plain bytes of a chunk; tests use smaller chunks.
    let chunkSize: Int
    private let key: SymmetricKey

    /// Derives the payload's key.
    ///
    /// - Parameters:
    ///   - fileKey: the file key of 16 bytes from the header.
    ///   - nonce: the 16 bytes at the start of the payload.
    ///   - chunkSize: the plain bytes of a chunk.
    init(fileKey: SecretBytes, nonce: [UInt8], chunkSize: Int = AgePayload.chunkSize) {
        self.chunkSize = chunkSize
        self.key = fileKey.withUnsafeBytes {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0),
                salt: nonce,
                info: Array("payload".utf8),
                outputByteCount: 32
            )
        }
    }

    var largestRun: Int { self.chunkSize + Self.tagSize }
    var allowsNoUnit: Bool { false }

    /// The positions of a file's chunks.
    ///
    /// - Parameters:
    ///   - headerLength: the length of the header in bytes.
    ///   - storedLength: the length of the file in bytes, if known.
    /// - Returns: the layout; without an end if the length is unknown.
    /// - Throws: ``CipherError`` with `damaged` for a length that no such file has.
    func layout(headerLength: Int64, storedLength: Int64?) throws(CipherError) -> StoredLayout {
        let unit = Int64(self.chunkSize + Self.tagSize)
        var layout = StoredLayout(
            prefix: headerLength + Int64(Self.nonceSize),
            plainUnit: Int64(self.chunkSize),
            storedUnit: unit,
            isLastSpecial: true
        )
        guard let storedLength else { return layout }
        let payload = storedLength - layout.prefix
        let tag = Int64(Self.tagSize)
        let rest = payload % unit
        // Only a file without content has an empty chunk.
        guard payload == tag || payload > 0 && (rest == 0 || rest > tag) else { throw .cutOff }
        layout.storedLength = storedLength
        layout.plainLength = payload - ((payload - 1) / unit + 1) * tag
        return layout
    }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        let unit = self.chunkSize + Self.tagSize
        if stored.count <= unit { return try self.open(stored, first, isLast: isLast) }
        var plain = Data(capacity: stored.count)
        var chunk = first
        var rest = stored[...]
        while !rest.isEmpty {
            let next = rest.prefix(unit)
            rest = rest.dropFirst(unit)
            plain += try self.open(
                UnsafeRawBufferPointer(rebasing: next),
                chunk,
                isLast: isLast && rest.isEmpty
            )
            chunk += 1
        }
        return plain
    }

    /// Encrypts a chunk.
    func seal(_ plain: UnsafeRawBufferPointer, _ chunk: Int64, isLast: Bool) throws(CipherError)
        -> [UInt8]
    {
        do {
            let box = try ChaChaPoly.seal(
                Data(borrowing: plain),
                using: self.key,
                nonce: ChaChaPoly.Nonce(data: Self.nonce(chunk, isLast: isLast))
            )
            return Array(box.combined.dropFirst(Self.chunkNonceSize))
        } catch { throw .libraryRefusal }
    }

    private func open(
        _ stored: UnsafeRawBufferPointer,
        _ chunk: Int64,
        isLast: Bool
    ) throws(CipherError) -> Data {
        let count = stored.count - Self.tagSize
        // The last chunk may be empty only if it is also the first.
        guard count > 0 || count == 0 && isLast && chunk == 0 else { throw .cutOff }
        do {
            // Assembled in one buffer of full capacity; the library itself would copy three times.
            var combined = Data(capacity: Self.chunkNonceSize + stored.count)
            combined.append(contentsOf: Self.nonce(chunk, isLast: isLast))
            combined.append(stored.assumingMemoryBound(to: UInt8.self))
            return try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: combined), using: self.key)
        } catch {
            throw CipherError(
                .damaged,
                "Chunk \(chunk) of the encrypted file is not as it was written: it was damaged, changed or cut off;"
                    + " fetch the file again, or ask its publisher."
            )
        }
    }

    private static func nonce(_ chunk: Int64, isLast: Bool) -> [UInt8] {
        [0, 0, 0] + withUnsafeBytes(of: chunk.bigEndian) { Array($0) } + [isLast ? 1 : 0]
    }
}
