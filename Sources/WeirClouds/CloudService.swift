// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// What differs between one service and the next: how it describes a file, lists a folder, locates bytes and says no.
///
/// The transfer, its retries and its checks are WeirHTTP's. A service says how *it* names things and keeps nothing of
/// its own but what it needs to ask: locations are kept, shared and renewed by its caller.
public protocol CloudService: Sendable {
    /// How a path is called in sentences; no credential is in it.
    func displayName(of path: FolderPath) -> String

    /// What is asked, for sentences: a host.
    var authority: String { get }

    /// Whose files it gives out; a library keeps those of two scopes apart.
    var credentialScope: CredentialScope { get }

    /// What tells a file from every other one, whatever its links are today; no credential is in it.
    func identity(of path: FolderPath) -> String

    /// What lies at a path, asked without its bytes.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func describe(_ path: FolderPath) async throws -> FolderEntry

    /// Whether ``describe(_:)`` says what pins the bytes.
    ///
    /// If not, the answers that carry them do, by their validators, and ``describe(_:)`` is not asked about bytes.
    var describesBytes: Bool { get }

    /// Whether each request has a location of its own, since it is signed; then none is kept, and saying it costs no
    /// request.
    var locatesEachRequest: Bool { get }

    /// The entries of a folder.
    func list(_ path: FolderPath) -> FolderPages

    /// Where a range of a file is to be had now, with what, and for how long.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - range: what will be asked for.
    ///   - refused: the location that no longer holds, if that is why it is asked.
    /// - Returns: a location that is not the refused one.
    /// - Throws: `SourceError`, `CancellationError`.
    func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation

    /// Reads what was answered instead of bytes.
    func ruling(on refusal: OriginRefusal, about path: FolderPath) async -> RefusalRuling
}

/// A location, and how long it may be used.
public struct CloudLocation: Sendable {
    /// How long a location holds.
    public enum Validity: Hashable, Sendable {
        /// From the moment that it was asked for.
        case lifetime(Duration)
        /// Until it is refused.
        case untilRefused
    }

    /// Where.
    public var location: OriginLocation
    /// How long.
    public var validity: Validity

    /// A location with its validity.
    public init(_ location: OriginLocation, validity: Validity) {
        self.location = location
        self.validity = validity
    }
}
