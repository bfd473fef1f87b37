// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// An encrypted format of an application's own: how the stored bytes of a file become plain ones.
///
/// A format says where the plain bytes lie (``StoredLayout``) and decrypts whole units of them (``UnitCipher``); which
/// stored bytes a reader needs, when they are fetched and what is cut off is the source's. So a format needs no loop and
/// no state, and seeking works in it as in the others.
///
///     struct Scrambled: CipherFormat {
///         let key: UInt8
///
///         func open(_ file: StoredFile) async throws -> OpenedFormat {
///             var layout = StoredLayout(plainUnit: 1, storedUnit: 1)
///             layout.storedLength = file.resource.length
///             layout.plainLength = file.resource.length
///             return OpenedFormat(layout: layout, cipher: Unscrambler(key: key), fingerprint: UInt64(key))
///         }
///     }
///
///     library.media(MediaRequest(url: url, decryption: .format(Scrambled(key: 7))))
public protocol CipherFormat: Sendable {
    /// Whether every byte is checked before it is handed on, so that a wrong key cannot go unnoticed; `false` unless the
    /// format says otherwise.
    ///
    /// Of a format that cannot tell, readers are warned when what comes out is no media.
    var isAuthenticated: Bool { get }

    /// Learns of a stored file what must be known before a byte of it can be decrypted: its header, its length, its key.
    ///
    /// Called before the first plain byte is read, and again after the file has changed at its origin.
    ///
    /// - Parameter file: the stored file, of one generation.
    /// - Returns: where the plain bytes lie, and what decrypts them.
    /// - Throws: ``CipherError`` where key and file do not go together; what reading throws; any other error, which ends
    ///   the reading as it is.
    func open(_ file: StoredFile) async throws -> OpenedFormat
}

extension CipherFormat {
    /// The format cannot tell.
    public var isAuthenticated: Bool { false }
}

/// A stored file, of one generation, for ``CipherFormat/open(_:)``.
public struct StoredFile: Sendable {
    /// What the file is; the length is `nil` while nothing has told it.
    public let resource: ResourceDescription
    /// How the file is called in sentences; no query and no credential is in it.
    public let name: String

    /// Reads stored bytes, at most as many as asked for.
    let read: @Sendable (RequestedRange, Int64) async throws -> [UInt8]

    /// Reads stored bytes: a header, the last unit.
    ///
    /// - Parameter range: the bytes, a few KiB at most; what lies past the end of the file is cut off.
    /// - Returns: the bytes.
    /// - Throws: ``/WeirSource/SourceError``, with `changed` if the file is no longer of this generation;
    ///   `CancellationError`.
    public func bytes(in range: Range<Int64>) async throws -> [UInt8] {
        guard !range.isEmpty else { return [] }
        return try await self.read(.span(range), range.upperBound - range.lowerBound)
    }
}

/// What ``CipherFormat/open(_:)`` has learnt of a file.
public struct OpenedFormat: Sendable {
    /// Where the plain bytes lie.
    public var layout: StoredLayout
    /// What decrypts them.
    public var cipher: any UnitCipher
    /// Differs where another key or setting would make other plain bytes of the same stored ones, so that no player joins
    /// what it has of the one with the other; a keyed hash, of which nothing of the key can be learnt.
    ///
    /// Zero for a format that opens with one key only.
    public var fingerprint: UInt64

    /// Says what was learnt.
    public init(layout: StoredLayout, cipher: any UnitCipher, fingerprint: UInt64 = 0) {
        self.layout = layout
        self.cipher = cipher
        self.fingerprint = fingerprint
    }
}
