// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place with folders and files: a cloud, a server, a disk.
///
/// The way from a name to a ``ByteSource``.
public protocol MediaStorage: AnyObject, Sendable {
    /// How a path is called in sentences: `yandex:/Music/a.mp3`; no credential is in it.
    func displayName(of path: FolderPath) -> String

    /// What tells the file from every other one in the world but those of other accounts; `nil` for files that need not
    /// be kept, since they lie on this machine.
    ///
    /// It holds nothing that changes although the file does not, and no credential.
    func identity(of path: FolderPath) -> String?

    /// Whether what it gives out depends on who asks.
    var usesCredential: Bool { get }

    /// What lies at a path.
    ///
    /// - Throws: ``SourceError``, `CancellationError`.
    func entry(at path: FolderPath) async throws -> FolderEntry

    /// What a folder holds.
    func entries(in path: FolderPath) -> FolderPages

    /// The bytes of the file at a path; nothing is asked yet.
    func source(of path: FolderPath) -> any ByteSource
}
