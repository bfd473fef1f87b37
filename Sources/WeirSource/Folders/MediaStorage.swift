// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place with folders and files: a cloud, a server, a disk.
///
/// The way from a name to a ``ByteSource``.
package protocol MediaStorage: AnyObject, Sendable {
    /// How a path is called in sentences: `yandex:/Music/a.mp3`; no credential is in it.
    func displayName(of path: FolderPath) -> String

    /// What tells the file from every other one in the world but those of other accounts; `nil` for files that need not
    /// be kept, since they lie on this machine.
    ///
    /// It holds nothing that changes although the file does not, and no credential.
    func identity(of path: FolderPath) -> String?

    /// Whose files it gives out.
    var credentialScope: CredentialScope { get }

    /// What lies at a path.
    ///
    /// - Throws: ``SourceError``, `CancellationError`.
    func entry(at path: FolderPath) async throws -> FolderEntry

    /// What a folder holds.
    func entries(in path: FolderPath) -> FolderPages

    /// The bytes of the file at a path; nothing is asked yet.
    func source(of path: FolderPath) -> any ByteSource
}

/// The entries of a folder, page by page, in the storage's order; each page is asked for when it is wanted.
///
/// Iterated once. A page may be empty; memory holds one page at a time.
public struct FolderPages: AsyncSequence, Sendable {
    private let producer: @Sendable () -> @Sendable () async throws -> [FolderEntry]?

    /// Pages that a function yields.
    ///
    /// - Parameter makeNext: called once for each iteration; what it returns yields the next page at each call, `nil`
    ///   after the last.
    public init(
        _ makeNext: @escaping @Sendable () -> @Sendable () async throws -> [FolderEntry]?
    ) {
        self.producer = makeNext
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(produce: self.producer())
    }

    /// Starts the iteration for another sequence of pages; each call yields the next, and `nil` comes after the last.
    package func makeNext() -> @Sendable () async throws -> [FolderEntry]? { self.producer() }

    /// Asks for one page after the other.
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

/// What a storage has at a path.
public struct FolderEntry: Hashable, Sendable {
    /// What kind of thing it is.
    public enum Kind: String, Hashable, Sendable {
        /// Something with bytes.
        case file
        /// Something with entries.
        case folder
    }

    /// The name, without a folder, as ``FolderPath/name(ofBytes:)`` writes it: text on one line.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// Bytes in the file, if the storage tells.
    public var length: Int64?
    /// The media type, as the storage tells it.
    public var mediaType: MediaType?
    /// When the content changed last, in seconds since 1970-01-01 00:00 UTC.
    public var modifiedSeconds: Int64?
    /// What the storage says identifies the bytes; `nil` if it says nothing strong.
    public var validator: Validator?

    /// Describes an entry; a length that no file has (`ResourceLength`) is taken for unknown.
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

    /// Whether two entries say the same, with names by their bytes: those that differ in their normal form alone are two.
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

    /// What a source would say of the file; bytes of its name that are no text are U+FFFD there.
    public var resource: ResourceDescription {
        ResourceDescription(
            length: self.length,
            mediaType: self.mediaType,
            validator: self.validator,
            name: String(decoding: FolderPath.bytes(ofName: self.name), as: UTF8.self)
        )
    }
}
