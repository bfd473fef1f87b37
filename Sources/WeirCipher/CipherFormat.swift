// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// An application's own encrypted format, which turns the stored bytes of a file into plain ones.
///
/// A format gives the positions of the plain bytes (``StoredLayout``) and decrypts whole units of
/// them (``UnitCipher``). The source decides which stored bytes a reader needs, fetches them, and
/// cuts the result. So a format needs no loop and no state, and seeking works as in the other
/// formats.
///
///     struct Scrambled: CipherFormat {
///         let key: UInt8
///
///         func open(_ file: StoredFile) async throws -> OpenedFormat {
///             var layout = StoredLayout(plainUnit: 1, storedUnit: 1)
///             layout.storedLength = file.resource.length
///             layout.plainLength = file.resource.length
///             return OpenedFormat(
///                 layout: layout,
///                 cipher: Unscrambler(key: key),
///                 fingerprint: UInt64(key)
///             )
///         }
///     }
///
///     library.media(MediaRequest(url: url, decryption: .format(Scrambled(key: 7))))
public protocol CipherFormat: Sendable {
    /// Whether every byte is checked before a reader gets it, so that a wrong key is always
    /// detected.
    ///
    /// `false` by default. If the format cannot detect a wrong key, readers get a warning when the
    /// plain bytes are not media.
    var isAuthenticated: Bool { get }

    /// Reads the facts about a stored file that decryption needs: its header, its length, its key.
    ///
    /// Called before the first plain byte is read, and again after the file has changed at its
    /// origin.
    ///
    /// - Parameter file: the stored file, of one generation.
    /// - Returns: the positions of the plain bytes, and their cipher.
    /// - Throws: ``CipherError`` if the key does not fit the file; the errors of reading; any other
    ///   error, which readers get unchanged.
    func open(_ file: StoredFile) async throws -> OpenedFormat
}

extension CipherFormat {
    /// `false`.
    public var isAuthenticated: Bool { false }
}

/// A stored file, of one generation, for ``CipherFormat/open(_:)``.
public struct StoredFile: Sendable {
    /// The description of the file; its length is `nil` while it is unknown.
    public let resource: ResourceDescription
    /// The file's name in messages, without a query or a credential.
    public let name: String

    /// Reads stored bytes, at most as many as the limit says.
    let read: @Sendable (RequestedRange, Int64) async throws -> [UInt8]

    /// Reads stored bytes, such as a header or the last unit.
    ///
    /// - Parameter range: the range, a few KiB at most; bytes past the end of the file are left
    ///   out.
    /// - Returns: the bytes.
    /// - Throws: ``/WeirSource/SourceError``, with `changed` if the file is no longer of this
    ///   generation; `CancellationError`.
    public func bytes(in range: Range<Int64>) async throws -> [UInt8] {
        guard !range.isEmpty else { return [] }
        return try await self.read(.span(range), range.upperBound - range.lowerBound)
    }
}

/// The result of ``CipherFormat/open(_:)``.
public struct OpenedFormat: Sendable {
    /// The positions of the plain bytes.
    public var layout: StoredLayout
    /// The cipher that decrypts them.
    public var cipher: any UnitCipher
    /// A value that differs if another key or setting produces other plain bytes from the same
    /// stored ones.
    ///
    /// It keeps a player from joining plain bytes of two keys. Use a keyed hash, which reveals
    /// nothing about the key. Zero for a format in which only one key opens a file.
    public var fingerprint: UInt64

    /// Creates a result.
    public init(layout: StoredLayout, cipher: any UnitCipher, fingerprint: UInt64 = 0) {
        self.layout = layout
        self.cipher = cipher
        self.fingerprint = fingerprint
    }
}
