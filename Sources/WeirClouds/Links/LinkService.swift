// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
package import WeirSource

/// A service for files behind expiring links, with a function of the application that makes the
/// next link.
///
/// The name identifies the file, so that bytes stored under one link are found under the next. The
/// validators of the responses are valid across both links.
package struct LinkService: CloudService {
    private let name: String
    private let makeLink: @Sendable (FolderPath) async throws -> Link
    private let now: @Sendable () -> Int64

    /// Creates a service of links.
    ///
    /// - Parameters:
    ///   - name: the prefix of displayed paths, and part of the identity of files.
    ///   - scope: the scope of the files; `nil` if the function always uses the same account.
    ///   - now: the time in seconds since 1970, for addresses that contain absolute times.
    ///   - makeLink: makes a new link to a file, one call at a time for a file; its errors are
    ///     shown unchanged.
    package init(
        name: String,
        scope: CredentialScope? = nil,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds,
        makeLink: @escaping @Sendable (FolderPath) async throws -> Link
    ) {
        self.name = name
        self.credentialScope = scope ?? .account(name)
        self.makeLink = makeLink
        self.now = now
    }

    /// The name: the service has no host besides the links' hosts.
    package var authority: String { self.name }

    /// The scope of the credential that makes the links; without a given scope, the service's name.
    package let credentialScope: CredentialScope

    /// `false`: the responses of the links' hosts describe the bytes.
    package var describesBytes: Bool { false }

    /// `false`.
    package var locatesEachRequest: Bool { false }

    /// The name and the path.
    package func displayName(of path: FolderPath) -> String { "\(self.name):\(path)" }

    /// The name and the path.
    package func identity(of path: FolderPath) -> String { "link:\(self.name):\(path)" }

    /// Fails: the service has no data about a file except its links.
    ///
    /// - Throws: `SourceError` with `invalidRequest`.
    package func describe(_ path: FolderPath) async throws -> FolderEntry {
        throw self.unlisted(path)
    }

    /// A new link.
    package func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let link = try await self.makeLink(path)
        let lifetime = link.lifetime ?? (link.url).lifetime(at: self.now())
        return CloudLocation(
            OriginLocation(url: link.url, headers: link.headers),
            validity: lifetime.map { .lifetime($0) } ?? .untilRefused
        )
    }

    /// Rules on a refusal: after a 400, 401, 403, 404 or 410, or a repeated 500, the link counts as
    /// ended.
    package func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
        let error = SourceError.linksRefused(
            self.displayName(of: path),
            status: refusal.status,
            host: refusal.location.url.authority
        )
        return switch refusal.status {
        case 400, 401, 403, 404, 410: .locateAnew(otherwise: error)
        case 500 where refusal.repetition > 1: .locateAnew(otherwise: error)
        default: .standard
        }
    }

    /// - Returns: pages that fail, since links cannot be listed.
    package func list(_ path: FolderPath) -> FolderPages {
        FolderPages { { throw self.unlisted(path) } }
    }

    private func unlisted(_ path: FolderPath) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(self.displayName(of: path)) cannot be listed, because its service makes links one by one; give a file to"
                + " weir get or weir exec."
        )
    }
}
