// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// The part that differs between services: describing files, listing folders, locating bytes,
/// refusals.
///
/// WeirHTTP does the transfer, its retries and its checks. A service keeps only the data that it
/// needs for requests. Its caller keeps, shares and renews locations.
public protocol CloudService: Sendable {
    /// The name of a path in messages, without a credential.
    func displayName(of path: FolderPath) -> String

    /// The service's host, for messages.
    var authority: String { get }

    /// The scope of the service's files; a library keeps files of different scopes apart.
    var credentialScope: CredentialScope { get }

    /// A name that identifies a file, whatever its current links are; it contains no credential.
    func identity(of path: FolderPath) -> String

    /// Describes the entry at a path without its bytes.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func describe(_ path: FolderPath) async throws -> FolderEntry

    /// Whether ``describe(_:)`` identifies the version of the bytes.
    ///
    /// If not, the validators of the responses identify it, and ``describe(_:)`` is not called for
    /// reads.
    var describesBytes: Bool { get }

    /// Whether each request has its own location, because it is signed.
    ///
    /// If so, the caller does not keep locations, and making a location costs no request.
    var locatesEachRequest: Bool { get }

    /// The entries of a folder.
    func list(_ path: FolderPath) -> FolderPages

    /// The current location of a range of a file, and its validity.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - range: the range of the request.
    ///   - refused: the location that is no longer valid, if that is the reason for the call.
    /// - Returns: a location that is not the refused one.
    /// - Throws: `SourceError`, `CancellationError`.
    func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation

    /// Rules on a response that refuses the bytes.
    func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling
}

/// A location, and how long it may be used.
public struct CloudLocation: Sendable {
    /// How long a location is valid.
    public enum Validity: Hashable, Sendable {
        /// For this time after the request for the location.
        case lifetime(Duration)
        /// Until a server refuses it.
        case untilRefused
    }

    /// The location.
    public var location: OriginLocation
    /// Its validity.
    public var validity: Validity

    /// Creates a location with its validity.
    public init(_ location: OriginLocation, validity: Validity) {
        self.location = location
        self.validity = validity
    }
}
