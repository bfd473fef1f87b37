// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// A WebDAV server (RFC 4918): Nextcloud, ownCloud, Apache, nginx, rclone, Yandex.Disk.
///
/// The service lists folders with `PROPFIND`. If the server may be a plain web server without
/// WebDAV, the service reads the links of its page instead. Plain ranged requests read the bytes.
/// The validators in their responses identify the version, since `PROPFIND` may give other values.
package struct WebDAV: CloudService {
    /// The WebDAV address of Yandex.Disk.
    package static let yandex = "https://webdav.yandex.ru/"

    /// The folder from which paths start.
    package let base: OriginURL

    private let name: String
    private let client: ServiceClient
    /// Whether the server has accepted the credential since it last refused it.
    private let acceptance = Acceptance()
    private let authorizer: (any RequestAuthorizer)?
    private let headers: HTTPHeaderList
    private let mayBePlain: Bool
    private let whenStoringIsForbidden: (@Sendable () -> Void)?

    /// Creates a service for a server.
    ///
    /// - Parameters:
    ///   - name: the prefix of displayed paths; `nil` shows addresses.
    ///   - base: the folder from which paths start, with or without a slash at its end.
    ///   - authorizer: gives the credential; `nil` uses the user in the address, if there is one.
    ///   - headers: fields for each request about a folder, besides the credential.
    ///   - mayBePlain: whether the server may lack WebDAV; the service then reads its pages.
    ///   - whenStoringIsForbidden: called when a response forbids storing it
    ///     (`Cache-Control: no-store`).
    ///   - client: sends requests to the server.
    package init(
        name: String?,
        base: OriginURL,
        authorizer: (any RequestAuthorizer)?,
        headers: HTTPHeaderList = HTTPHeaderList(),
        mayBePlain: Bool = false,
        whenStoringIsForbidden: (@Sendable () -> Void)? = nil,
        client: ServiceClient
    ) {
        self.base = base
        self.name = name ?? ""
        self.client = client
        self.headers = headers
        self.mayBePlain = mayBePlain
        self.whenStoringIsForbidden = whenStoringIsForbidden
        self.authorizer = authorizer ?? base.userInfo.map { PasswordAuthorizer($0) }
    }

    /// The server's host.
    package var authority: String { self.base.authority }

    /// The scope of the user or the token; `everyone` without a credential.
    package var credentialScope: CredentialScope { self.authorizer?.credentialScope ?? .everyone }

    /// `false`: `PROPFIND` may describe a file differently from the responses with its bytes.
    package var describesBytes: Bool { false }

    /// `true`: the address never changes, and digests are made for each request.
    package var locatesEachRequest: Bool { true }

    /// The name and the path, or the address.
    package func displayName(of path: FolderPath) -> String {
        self.name.isEmpty ? "\(self.prefix)\(self.target(path))" : "\(self.name):\(path)"
    }

    /// The address.
    package func identity(of path: FolderPath) -> String { "\(self.prefix)\(self.target(path))" }

    /// The entry at a path.
    package func describe(_ path: FolderPath) async throws -> FolderEntry {
        do {
            return try await self.described(path)
        } catch let error as SourceError where self.mayBeFile(path, error) {
            let url = try OriginURL("\(self.prefix)\(self.base.requestTarget)")
            do {
                if let file = try await self.file(at: url) { return file }
            } catch is SourceError {
                // The first error, about the folder, says more than this one.
            }
            throw error
        }
    }

    /// Whether the base may be a file: it is not a folder, and its address has no slash at its end.
    private func mayBeFile(_ path: FolderPath, _ error: SourceError) -> Bool {
        self.mayBePlain && path.components.isEmpty && !self.base.path.hasSuffix("/")
            && [.notFound, .badAnswer].contains(error.code)
    }

    private func described(_ path: FolderPath) async throws -> FolderEntry {
        let found: [MultistatusResponse]
        do {
            found = try await self.find(path, depth: 0)
        } catch let error as SourceError where error.code == .insecure && !path.isFolder {
            // A server behind a proxy may not know that clients use TLS: it redirects a folder to
            // `http://…/`. Ask for the address with the slash.
            found = try await self.find(path.asFolder, depth: 0)
        } catch let error as SourceError where self.isPlain(error) {
            return try await self.describeOfPlainServer(path, error)
        }
        let display = self.displayName(of: path)
        guard let own = found.first(where: { $0.isAt(self.target(path)) }) ?? found.first else {
            throw SourceError.notFound(display, status: 207, host: self.authority)
        }
        return own.entry
    }

    /// The address, with the credential.
    package func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let url = try self.url(path)
        var headers = HTTPHeaderList()
        if let value = try await self.authorizer?.authorization(method: "GET", url: url) {
            headers.append(try HTTPHeader(name: "Authorization", value: value))
        }
        return CloudLocation(
            OriginLocation(url: url, headers: headers, hidesPath: false),
            validity: .untilRefused
        )
    }

    /// Rules on a refusal; a refused credential is replaced once, if there is another.
    package func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
        // The response of a redirect's target is not the server's own statement about the file.
        guard refusal.isDirect else { return .standard }
        let display = self.displayName(of: path)
        switch refusal.status {
        case 401 where refusal.repetition <= 2:
            do {
                let isRenewed = try await self.authorizer?.refused(
                    refusal.location.headers["Authorization"],
                    challenges: refusal.headers.values(of: "WWW-Authenticate")
                )
                if isRenewed == true {
                    return .locateAnew(
                        otherwise: self.unauthorized(display)
                    )
                }
            } catch let error as SourceError {
                return .refused(error)
            } catch {
                return .standard
            }
            // The server accepted the password before, so the refusal may be temporary: try it once
            // more.
            return refusal.repetition == 1 && self.acceptance.end()
                ? .locateAnew(otherwise: self.unauthorized(display))
                : .refused(self.unauthorized(display))
        case 401:
            return .refused(self.unauthorized(display))
        case 403: return .refused(self.forbidden(display))
        case 404:
            return .refused(SourceError.notFound(display, status: 404, host: self.authority))
        case 507:
            return .refused(SourceError.overQuota(display, status: 507, host: self.authority))
        default: return .standard
        }
    }

    /// The entries of a folder on one page, since the protocol has no pages.
    package func list(_ path: FolderPath) -> FolderPages {
        FolderPages {
            let state = PageState()
            return {
                guard state.next != nil else { return nil }
                state.next = nil
                return try await self.children(path)
            }
        }
    }

    private func children(_ path: FolderPath) async throws -> [FolderEntry] {
        let found: [MultistatusResponse]
        do {
            found = try await self.find(path.asFolder, depth: 1)
        } catch let error as SourceError where self.isPlain(error) {
            guard let entries = try await self.linked(path.asFolder) else { throw error }
            return entries
        }
        let (own, entries) = MultistatusResponse.children(of: self.target(path), in: found)
        if own?.entry.kind == .file {
            throw SourceError.isFile(self.displayName(of: path), host: self.authority)
        }
        return entries
    }

    private func find(_ path: FolderPath, depth: Int) async throws -> [MultistatusResponse] {
        let display = self.displayName(of: path)
        let answer = try await self.ask(
            "PROPFIND",
            try self.url(path),
            called: display,
            HTTPHeaderList([
                try HTTPHeader(name: "Depth", value: "\(depth)"),
                try HTTPHeader(name: "Content-Type", value: "application/xml; charset=utf-8"),
                try HTTPHeader(name: "Accept", value: "application/xml, text/xml"),
            ]),
            body: Array(MultistatusResponse.question.utf8)
        )
        guard answer.status == 207 else {
            throw self.refusal(answer, about: display, mayBePlain: self.mayBePlain)
        }
        guard let responses = MultistatusResponse.all(in: answer.body) else {
            throw SourceError.badAnswer(
                display,
                "a response that is not a multistatus",
                status: 207,
                host: self.authority
            )
        }
        return responses
    }

    private func ask(
        _ method: String,
        _ url: OriginURL,
        called display: String,
        _ headers: HTTPHeaderList,
        body: [UInt8] = [],
        reads: @escaping @Sendable (ServiceAnswer) -> Bool = { _ in true }
    ) async throws -> ServiceAnswer {
        var fields = self.headers
        fields.replace(with: headers)
        var request = ServiceRequest(
            method: method,
            url: url,
            headers: fields,
            body: body,
            subject: display
        )
        request.readsBody = reads
        var answer = try await self.client.send(request, authorizer: self.authorizer)
        if answer.status == 401, self.acceptance.end() {
            answer = try await self.client.send(request, authorizer: self.authorizer)
        }
        if answer.isSuccess { self.acceptance.begin() }
        if answer.forbidsStoring { self.whenStoringIsForbidden?() }
        return answer
    }

    /// Whether the server may lack WebDAV, and the error is one that a server without WebDAV
    /// causes.
    private func isPlain(_ error: SourceError) -> Bool {
        self.mayBePlain && (error.code == .badAnswer || error.code == .forbidden)
    }

    /// The entry at a path of a server without WebDAV; throws `failure` if its page is not a list.
    private func describeOfPlainServer(_ path: FolderPath, _ failure: SourceError) async throws
        -> FolderEntry
    {
        let folder = FolderEntry(name: path.name ?? "/", kind: .folder)
        if !path.isFolder, let file = try await self.file(at: try self.url(path)) { return file }
        guard try await self.linked(path.asFolder) != nil else { throw failure }
        return folder
    }

    /// The file at an address of a server without WebDAV; `nil` if the server sends a page.
    private func file(at url: OriginURL) async throws -> FolderEntry? {
        let answer = try await self.ask("HEAD", url, called: url.display, HTTPHeaderList())
        guard answer.isSuccess else { throw self.refusal(answer, about: url.display) }
        guard !FolderPage.isPage(answer) else { return nil }
        let name = url.path.split(separator: "/").last.map(PercentCoding.decodedBytes)
        return FolderEntry(
            name: name.flatMap { FolderPath.name(ofBytes: $0) } ?? "/",
            kind: .file,
            length: answer.headers["Content-Length"].flatMap { Int64($0) },
            mediaType: answer.headers["Content-Type"].flatMap(MediaType.init(headerValue:)),
            modifiedSeconds: answer.headers["Last-Modified"].flatMap(Int64.init(httpDate:))
        )
    }

    /// The entries that a folder's page links to.
    ///
    /// `nil` if the response is not a page. Also `nil` if a page has no links to files, and no
    /// title that says that it lists the folder.
    private func linked(_ path: FolderPath) async throws -> [FolderEntry]? {
        let accept = HTTPHeaderList([try HTTPHeader(name: "Accept", value: "text/html")])
        let display = self.displayName(of: path)
        let answer = try await self.ask(
            "GET",
            try self.url(path),
            called: display,
            accept,
            reads: FolderPage.isPage
        )
        guard answer.isSuccess else { throw self.refusal(answer, about: display) }
        guard FolderPage.isPage(answer) else { return nil }
        let entries = FolderPage.entries(in: answer.body, at: answer.url)
        let isListing = !entries.isEmpty || FolderPage.isTitled(answer.body, as: answer.url)
        return isListing ? entries : nil
    }

    /// The credential of the requests.
    private var sent: SentCredential {
        self.authorizer.map { .one(from: $0.credentialPlace) } ?? SentCredential(in: self.headers)
    }

    private var prefix: String { "\(self.base.scheme.rawValue)://\(self.base.authority)" }

    private func url(_ path: FolderPath) throws(SourceError) -> OriginURL {
        try OriginURL("\(self.prefix)\(self.target(path))")
    }

    /// The percent-encoded path of the address.
    private func target(_ path: FolderPath) -> String {
        let folder = self.base.path.hasSuffix("/") ? self.base.path : "\(self.base.path)/"
        guard !path.components.isEmpty else { return folder }
        let below = path.componentBytes.map { PercentCoding.component($0) }.joined(separator: "/")
        return "\(folder)\(below)\(path.isFolder ? "/" : "")"
    }
}

/// Records that a server accepts a credential, until the server refuses it.
private final class Acceptance: Sendable {
    private let isAccepted = Mutex(false)

    func begin() { self.isAccepted.withLock { $0 = true } }

    /// Ends the acceptance, and returns whether the credential was accepted before.
    func end() -> Bool {
        self.isAccepted.withLock { isAccepted in
            defer { isAccepted = false }
            return isAccepted
        }
    }
}

/// The errors of a WebDAV server.
extension WebDAV {
    private func unauthorized(_ display: String) -> SourceError {
        func sentence(_ sent: SentCredential) -> String {
            let advice =
                sent == .none
                ? "give a user and a password, or a token"
                : "check it, many servers want an application password here"
            return
                "\(self.authority) wants a credential for \(display) (401 Unauthorized), and \(sent.refusal); \(advice)."
        }
        return SourceError(
            .unauthorized,
            sentence(self.sent.withoutPlace),
            host: self.authority,
            status: 401
        )
        .tellingOwner(sentence(self.sent))
    }

    private func forbidden(_ display: String) -> SourceError {
        func sentence(_ sent: SentCredential) -> String {
            let who = sent.noun.map { "with \($0)" } ?? "without a credential"
            return
                "\(self.authority) does not allow reading \(display) \(who) (403 Forbidden); check the user's"
                + " permissions, and whether it is a folder: weir ls lists folders."
        }
        return SourceError(
            .forbidden,
            sentence(self.sent.withoutPlace),
            host: self.authority,
            status: 403
        )
        .tellingOwner(sentence(self.sent))
    }

    /// The error for a status other than 207; `mayBePlain` for a server that may lack WebDAV.
    private func refusal(
        _ answer: ServiceAnswer,
        about display: String,
        mayBePlain: Bool = false
    ) -> SourceError {
        let host = self.authority
        switch answer.status {
        case 401: return self.unauthorized(display)
        case 403: return self.forbidden(display)
        case 404, 410: return SourceError.notFound(display, status: answer.status, host: host)
        case 200..<300 where mayBePlain, 400 where mayBePlain, 405 where mayBePlain,
            501 where mayBePlain:
            return SourceError(
                .badAnswer,
                "\(host) does not list \(display): it does not speak WebDAV there (status \(answer.status)) and sends"
                    + " no page with links to files; give each file, or a playlist of them.",
                host: host,
                status: answer.status
            )
        case 200..<300, 405, 501:
            return SourceError(
                .badAnswer,
                "\(host) cannot list \(display), because it does not speak WebDAV there (status \(answer.status)); check"
                    + " the address, Nextcloud's ends in /remote.php/dav/files/USER/.",
                host: host,
                status: answer.status
            )
        case 423: return SourceError.locked(display, status: 423, host: host)
        case 429: return SourceError.throttled(display, answer: answer, host: host)
        case 507: return SourceError.overQuota(display, status: 507, host: host)
        case 500...: return SourceError.failed(display, status: answer.status, host: host)
        default:
            return SourceError.badAnswer(
                display,
                "status \(answer.status)",
                status: answer.status,
                host: host
            )
        }
    }
}
