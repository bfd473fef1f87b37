// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// Files behind links that end, where an application or a command knows how to get the next one.
///
/// The file is known by its name here, so that what was kept under one link is found under the next, and the validators
/// of the answers hold across both.
public struct LinkService: CloudService {
    private let name: String
    private let makeLink: @Sendable (FolderPath) async throws -> Link
    private let now: @Sendable () -> Int64

    /// A service of links.
    ///
    /// - Parameters:
    ///   - name: what is shown before a path, and what files are known by.
    ///   - now: the time in seconds since 1970, by which links in the address's own time are measured.
    ///   - makeLink: gets a fresh link to a file; one call at a time for a file, whose errors are shown as they are.
    public init(
        name: String,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds,
        makeLink: @escaping @Sendable (FolderPath) async throws -> Link
    ) {
        self.name = name
        self.makeLink = makeLink
        self.now = now
    }

    /// The name: nobody is asked but the links' hosts.
    public var authority: String { self.name }

    /// Yes: a link is as good as one.
    public var usesCredential: Bool { true }

    /// No: the links' hosts do.
    public var describesBytes: Bool { false }

    /// No.
    public var locatesEachRequest: Bool { false }

    /// The name and the path.
    public func displayName(of path: FolderPath) -> String { "\(self.name):\(path)" }

    /// The name and the path.
    public func identity(of path: FolderPath) -> String { "link:\(self.name):\(path)" }

    /// A file, of which no more is known.
    public func describe(_ path: FolderPath) async throws -> FolderEntry {
        FolderEntry(name: path.name ?? self.name, kind: .file)
    }

    /// A fresh link.
    public func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let link = try await self.makeLink(path)
        let lifetime = link.lifetime ?? LinkLifetime.of(link.url, at: self.now())
        return CloudLocation(
            OriginLocation(url: link.url, headers: link.headers),
            validity: lifetime.map { .lifetime($0) } ?? .untilRefused
        )
    }

    /// A link that ended is answered with one of these, or with a failure that comes again.
    public func ruling(on refusal: OriginRefusal, about path: FolderPath) async -> RefusalRuling {
        switch refusal.status {
        case 400, 401, 403, 404, 410: .locateAnew
        case 500 where refusal.repetition > 1: .locateAnew
        default: .standard
        }
    }

    /// - Returns: pages that fail: links cannot be listed.
    public func list(_ path: FolderPath) -> FolderPages {
        let display = self.displayName(of: path)
        return FolderPages {
            {
                throw SourceError(
                    .invalidRequest,
                    "\(display) cannot be listed, because its links are made one by one; name a file."
                )
            }
        }
    }
}
