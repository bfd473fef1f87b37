// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
package import WeirSource

/// Files behind links that end, where an application or a command knows how to get the next one.
///
/// The file is known by its name here, so that what was kept under one link is found under the next, and the validators
/// of the answers hold across both.
package struct LinkService: CloudService {
    private let name: String
    private let makeLink: @Sendable (FolderPath) async throws -> Link
    private let now: @Sendable () -> Int64

    /// A service of links.
    ///
    /// - Parameters:
    ///   - name: what is shown before a path, and what files are known by.
    ///   - scope: whose files they are; `nil` if the function always asks for the same account.
    ///   - now: the time in seconds since 1970, by which links in the address's own time are measured.
    ///   - makeLink: gets a fresh link to a file; one call at a time for a file, whose errors are shown as they are.
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

    /// The name: only the links' hosts are asked.
    package var authority: String { self.name }

    /// The credential that links are asked for with, or else the service's own name: a link is as good as a credential.
    package let credentialScope: CredentialScope

    /// No: the links' hosts do.
    package var describesBytes: Bool { false }

    /// No.
    package var locatesEachRequest: Bool { false }

    /// The name and the path.
    package func displayName(of path: FolderPath) -> String { "\(self.name):\(path)" }

    /// The name and the path.
    package func identity(of path: FolderPath) -> String { "link:\(self.name):\(path)" }

    /// Fails: of links nothing is known but that they can be had.
    ///
    /// - Throws: `SourceError` with `invalidRequest`.
    package func describe(_ path: FolderPath) async throws -> FolderEntry {
        throw self.unlisted(path)
    }

    /// A fresh link.
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

    /// A link that ended is answered with one of these, or with a failure that comes again.
    package func ruling(on refusal: OriginRefusal, about path: FolderPath) async -> RefusalRuling {
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

    /// - Returns: pages that fail: links cannot be listed.
    package func list(_ path: FolderPath) -> FolderPages {
        FolderPages { { throw self.unlisted(path) } }
    }

    private func unlisted(_ path: FolderPath) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(self.displayName(of: path)) cannot be listed, because its links are made one by one; name a file to"
                + " weir get or weir exec."
        )
    }
}
