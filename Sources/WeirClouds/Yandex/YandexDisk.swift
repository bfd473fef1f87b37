// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
package import WeirSource

/// Yandex.Disk over its REST API, or the target of one of its public links.
///
/// One call returns the description of a file and the link to its bytes. A link is valid for four
/// hours; its path contains the time of its expiry, and no token. The MD5 identifies the version of
/// a file; without an MD5, the revision does.
package struct YandexDisk: CloudService {
    /// The address of the API.
    package static let api = "https://cloud-api.yandex.net/"
    /// The address of the token endpoint.
    package static let tokens = "https://oauth.yandex.ru/token"
    /// The address of the page for the user's consent.
    package static let authorization = "https://oauth.yandex.ru/authorize"

    static let fields =
        "name,type,size,mime_type,modified,md5,sha256,revision,resource_id,media_type,path,file"
    private static let pageSize = 200

    /// The prefix of displayed paths.
    private let name: String
    /// The start of a file's identity: `yandex-disk`, or the space of a public link.
    private let space: String
    private let api: OriginURL
    private let publicKey: String?
    private let root: FolderPath
    private let client: ServiceClient
    private let authorizer: (any RequestAuthorizer)?
    private let now: @Sendable () -> Int64

    /// Creates a service for the disk of an account.
    ///
    /// - Parameters:
    ///   - name: the prefix of displayed paths: `yandex`.
    ///   - credentials: provides the account's token.
    ///   - root: the folder from which paths start.
    ///   - api: the address of the API.
    ///   - client: sends the requests.
    ///   - now: the time in seconds since 1970, if the service does not give it.
    package init(
        name: String,
        credentials: any CredentialProvider,
        root: FolderPath = .root,
        api: OriginURL,
        client: ServiceClient,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds
    ) {
        self.name = name
        self.space = "yandex-disk"
        self.api = api
        self.publicKey = nil
        self.root = root
        self.client = client
        self.authorizer = TokenAuthorizer(scheme: "OAuth", provider: credentials)
        self.now = now
    }

    /// Creates a service for the target of a public link, which needs no account.
    ///
    /// - Parameters:
    ///   - name: the prefix of displayed paths.
    ///   - publicKey: the link, `https://disk.yandex.ru/d/…`, or the key in it.
    ///   - root: the folder from which paths start.
    ///   - api: the address of the API.
    ///   - client: sends the requests.
    ///   - now: the time in seconds since 1970, if the service does not give it.
    package init(
        name: String,
        publicKey: String,
        root: FolderPath = .root,
        api: OriginURL,
        client: ServiceClient,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds
    ) {
        self.name = name
        self.space = "yandex-public:\(publicKey)"
        self.api = api
        self.publicKey = publicKey
        self.root = root
        self.client = client
        self.authorizer = nil
        self.now = now
    }

    /// The API's host.
    package var authority: String { self.api.authority }

    /// The scope of the token; `everyone` for a public link.
    package var credentialScope: CredentialScope { self.authorizer?.credentialScope ?? .everyone }

    /// `true`: MD5 or revision identify the bytes.
    package var describesBytes: Bool { true }

    /// `false`: a link is valid for hours.
    package var locatesEachRequest: Bool { false }

    /// The name and the path.
    package func displayName(of path: FolderPath) -> String { "\(self.name):\(path)" }

    /// The space, and the path from its root.
    package func identity(of path: FolderPath) -> String {
        "\(self.space):\(self.place(path.asFile))"
    }

    /// The entry at a path.
    package func describe(_ path: FolderPath) async throws -> FolderEntry {
        try await self.resource(path).resource.entry
    }

    /// The description and the link of the file, from one call, or from two if the description has
    /// no link.
    package func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let display = self.displayName(of: path)
        let (resource, answer) = try await self.resource(path)
        guard resource.entry.kind == .file else {
            throw SourceError.isFolder(display, host: self.authority)
        }
        let href: String
        if let file = resource.file {
            href = file
        } else {
            href = try await self.link(path)
        }
        let link = try YandexDiskLink(href, of: display, api: self.api)
        try link.check(resource, display: display, host: self.authority)
        return CloudLocation(
            OriginLocation(
                url: link.url,
                resource: resource.entry.resource,
                entityTag: resource.md5
            ),
            validity: link.expirySeconds.map {
                .lifetime(.seconds(max(0, $0 - (answer.seconds ?? self.now()))))
            } ?? .untilRefused
        )
    }

    /// Rules on a refusal: an expired link is replaced.
    ///
    /// A link's host explains refusals only in an HTML page. Its expired links were observed to
    /// give 410 and 500, so a repeated 500 counts as an expired link.
    package func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
        let error = SourceError.linksRefused(
            self.displayName(of: path),
            status: refusal.status,
            host: refusal.location.url.authority
        )
        return switch refusal.status {
        case 401, 403, 404, 410: .locateAnew(otherwise: error)
        case 500 where refusal.repetition > 1: .locateAnew(otherwise: error)
        default: .standard
        }
    }

    /// The entries of a folder, 200 a page.
    package func list(_ path: FolderPath) -> FolderPages {
        FolderPages {
            let state = PageState()
            return {
                guard let offset = state.next else { return nil }
                let items = try await self.page(path, offset: offset)
                // A service that ignores the offset would send the same page forever.
                let first = items.first?.name
                guard offset == 0 || first == nil || first != state.firstName else {
                    state.next = nil
                    throw SourceError.badAnswer(
                        self.displayName(of: path),
                        "the same page of entries again",
                        status: nil,
                        host: self.authority
                    )
                }
                state.firstName = first
                state.next = items.count < Self.pageSize ? nil : offset + items.count
                // Entries that cannot be named are left out.
                return items.map(\.entry).filter { FolderPath.isName($0.name) }
            }
        }
    }

    private func page(_ path: FolderPath, offset: Int) async throws -> [YandexDiskAnswer] {
        let members = ["name", "type", "size", "mime_type", "modified", "md5", "revision"]
        let answer = try await self.ask(
            "resources",
            path,
            [
                (
                    "fields",
                    "type,\(members.map { "_embedded.items.\($0)" }.joined(separator: ","))"
                ),
                ("limit", "\(Self.pageSize)"), ("offset", "\(offset)"), ("sort", "name"),
            ]
        )
        let display = self.displayName(of: path)
        let folder = try self.decoded(answer, display)
        guard folder.type == "dir" else {
            throw SourceError.isFile(display, host: self.authority)
        }
        guard let items = folder.items else {
            throw SourceError.badAnswer(
                display,
                "a folder without a list of its entries",
                status: answer.status,
                host: self.authority
            )
        }
        return items
    }

    private func resource(_ path: FolderPath) async throws
        -> (resource: YandexDiskAnswer, answer: ServiceAnswer)
    {
        let answer = try await self.ask("resources", path, [("fields", Self.fields)])
        let display = self.displayName(of: path)
        return (try self.decoded(answer, display), answer)
    }

    private func link(_ path: FolderPath) async throws -> String {
        let answer = try await self.ask("resources/download", path, [])
        let display = self.displayName(of: path)
        guard let href = try self.decoded(answer, display).href else {
            throw self.notJSON(answer, display)
        }
        return href
    }

    private func decoded(_ answer: ServiceAnswer, _ display: String) throws(SourceError)
        -> YandexDiskAnswer
    {
        guard let value = YandexDiskAnswer(json: answer.body) else {
            throw self.notJSON(answer, display)
        }
        return value
    }

    private func notJSON(_ answer: ServiceAnswer, _ display: String) -> SourceError {
        SourceError.badAnswer(
            display,
            "a response that is not its JSON",
            status: answer.status,
            host: self.authority
        )
    }

    private func ask(_ method: String, _ path: FolderPath, _ arguments: [(String, String)])
        async throws -> ServiceAnswer
    {
        var arguments = arguments
        if let publicKey {
            arguments.append(("public_key", publicKey))
            arguments.append(("path", self.place(path)))
        } else {
            arguments.append(("path", "disk:\(self.place(path))"))
        }
        let query = arguments.map { "\($0)=\(PercentCoding.component($1))" }.joined(separator: "&")
        let prefix = self.publicKey == nil ? "v1/disk" : "v1/disk/public"
        let base = self.api.display.hasSuffix("/") ? self.api.display : "\(self.api.display)/"
        let display = self.displayName(of: path)
        let answer = try await self.client.send(
            ServiceRequest(
                url: try OriginURL("\(base)\(prefix)/\(method)?\(query)"),
                headers: HTTPHeaderList([
                    try HTTPHeader(name: "Accept", value: "application/json")
                ]),
                subject: display
            ),
            authorizer: self.authorizer,
            isFinal: { YandexDiskFailure($0).isFinal }
        )
        guard answer.isSuccess else {
            let sent = self.authorizer.map { SentCredential.one(from: $0.credentialPlace) }
            throw YandexDiskFailure(answer)
                .error(about: display, host: self.authority, sent: sent ?? .none)
        }
        return answer
    }

    /// The path from the root of the disk, in the disk's form, without a slash at its end.
    private func place(_ path: FolderPath) -> String {
        let names = (self.root.componentBytes + path.componentBytes).map {
            String(decoding: $0, as: UTF8.self)
        }
        return "/\(names.joined(separator: "/"))"
    }
}
