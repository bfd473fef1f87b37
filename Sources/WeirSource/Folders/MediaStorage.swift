// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place with folders and files: a cloud, a server, a disk.
///
/// It turns a name into a ``ByteSource``.
package protocol MediaStorage: AnyObject, Sendable {
    /// The name of a path in messages: `yandex:/Music/a.mp3`; it contains no credential.
    func displayName(of path: FolderPath) -> String

    /// Identifies a file within its credential scope; `nil` for files on this machine, which the
    /// cache need not store.
    ///
    /// The identity contains nothing that changes while the file stays the same, and no credential.
    func identity(of path: FolderPath) -> String?

    /// The account or the credential whose files the storage lists.
    var credentialScope: CredentialScope { get }

    /// The entry at a path.
    ///
    /// - Throws: ``SourceError``, `CancellationError`.
    func entry(at path: FolderPath) async throws -> FolderEntry

    /// The entries of a folder.
    func entries(in path: FolderPath) -> FolderPages

    /// The source of the file at a path; it has sent no request yet.
    func source(of path: FolderPath) -> any ByteSource
}

/// The entries of a folder, page by page, in the storage's order; each page is requested when it is
/// needed.
///
/// Iterate it once. A page may be empty; memory holds one page at a time.
public struct FolderPages: AsyncSequence, Sendable {
    private let producer: @Sendable () -> @Sendable () async throws -> [FolderEntry]?

    /// Pages that a function yields.
    ///
    /// - Parameter makeNext: called once for each iteration; the returned function yields the next
    ///   page at each call, `nil` after the last.
    public init(
        _ makeNext: @escaping @Sendable () -> @Sendable () async throws -> [FolderEntry]?
    ) {
        self.producer = makeNext
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(produce: self.producer())
    }

    /// Starts an iteration for another sequence of pages.
    ///
    /// - Returns: a function that yields the next page at each call, `nil` after the last.
    package func makeNext() -> @Sendable () async throws -> [FolderEntry]? { self.producer() }

    /// Requests one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let produce: @Sendable () async throws -> [FolderEntry]?

        /// The next page, or `nil` after the last.
        ///
        /// - Throws: ``SourceError``: `notFound`, `invalidRequest` for a file; `CancellationError`.
        public func next() async throws -> [FolderEntry]? {
            try Task.checkCancellation()
            return try await self.produce()
        }
    }
}

/// An entry of a storage.
public struct FolderEntry: Hashable, Sendable {
    /// The kind of an entry.
    public enum Kind: String, Hashable, Sendable {
        /// An entry with bytes.
        case file
        /// An entry with further entries.
        case folder
    }

    /// The name, without a folder, as ``FolderPath/name(ofBytes:)`` writes it: text on one line.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// The length of the file in bytes, if the storage reports it.
    public var length: Int64?
    /// The media type, if the storage reports it.
    public var mediaType: MediaType?
    /// The time of the last change, in seconds since 1970-01-01 00:00 UTC.
    public var modifiedSeconds: Int64?
    /// The validator that the storage reports; `nil` if it reports no strong one.
    public var validator: Validator?

    /// Describes an entry; an impossible length (`ResourceLength`) counts as unknown.
    public init(
        name: String,
        kind: Kind,
        length: Int64? = nil,
        mediaType: MediaType? = nil,
        modifiedSeconds: Int64? = nil,
        validator: Validator? = nil
    ) {
        self.name = name
        self.kind = kind
        self.length = length.flatMap(ResourceLength.checked)
        self.mediaType = mediaType
        self.modifiedSeconds = modifiedSeconds
        self.validator = validator
    }

    /// Whether two entries are equal; names that differ only in their normal form are different.
    public static func == (left: FolderEntry, right: FolderEntry) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.kind == right.kind
            && left.length == right.length && left.mediaType == right.mediaType
            && left.modifiedSeconds == right.modifiedSeconds && left.validator == right.validator
    }

    /// Hashes the name and the kind.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(self.name.utf8))
        hasher.combine(self.kind)
    }

    /// The description that a source would give; bytes of the name that are not text become U+FFFD.
    public var resource: ResourceDescription {
        ResourceDescription(
            length: self.length,
            mediaType: self.mediaType,
            validator: self.validator,
            name: String(decoding: FolderPath.bytes(ofName: self.name), as: UTF8.self)
        )
    }
}
