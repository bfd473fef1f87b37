// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// A bucket of S3, or of a compatible store.
///
/// Each request is signed in its header for the bucket's region. If the store reports that this
/// machine's clock is wrong, signatures use the store's time. The entity tags of the responses
/// identify the version of the bytes. A folder is the common prefix of keys up to a slash.
package struct S3: CloudService {
    /// The location of a bucket.
    package struct Bucket: Hashable, Sendable {
        /// The name of the bucket.
        package var name: String
        /// The region; `nil` to ask the store.
        package var region: String?
        /// The store, such as `https://s3.example`; `nil` for Amazon's.
        package var endpoint: OriginURL?
        /// Whether the path holds the bucket's name; `nil` to decide by the store.
        package var isInPath: Bool?
        /// The prefix of the keys of all paths, without a slash at either end; empty for the whole
        /// bucket.
        package var root: String

        /// Creates a bucket.
        package init(
            name: String,
            region: String? = nil,
            endpoint: OriginURL? = nil,
            isInPath: Bool? = nil,
            root: String = ""
        ) {
            self.name = name
            self.region = region
            self.endpoint = endpoint
            self.isInPath = isInPath
            self.root = root
        }
    }

    /// The facts learned about the store.
    struct Knowledge {
        var region: String?
        /// How many seconds the store's clock is ahead of this machine's.
        var offset: Int64 = 0
        /// The last key that was used for signing.
        var keys: S3Keys?
        /// The key that the store refused.
        var refused: S3Keys?
        /// Whether the store lacks version 2 of the listing.
        var listsByVersion1 = false
    }

    final class Store: Sendable {
        let knowledge = Mutex(Knowledge())
    }

    let name: String
    let bucket: Bucket
    let keySource: S3KeySource
    let client: ServiceClient
    let now: @Sendable () -> Int64
    let store = Store()

    /// Creates a service for a bucket.
    ///
    /// - Parameters:
    ///   - name: the prefix of displayed paths.
    ///   - bucket: the location of the bucket.
    ///   - keys: the source of the key.
    ///   - now: the time in seconds since 1970.
    ///   - client: sends requests to the store.
    package init(
        name: String,
        bucket: Bucket,
        keys: S3KeySource,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds,
        client: ServiceClient
    ) {
        self.name = name
        self.bucket = bucket
        self.keySource = keys
        self.now = now
        self.client = client
    }

    /// The name and the path.
    package func displayName(of path: FolderPath) -> String { "\(self.name):\(path)" }

    /// The store and the bucket, independent of the region and the form of its address.
    package var authority: String {
        "\(self.bucket.endpoint?.authority ?? "s3.amazonaws.com")/\(self.bucket.name)"
    }

    /// The scope of the key; `everyone` for a public bucket.
    package var credentialScope: CredentialScope {
        switch self.keySource {
        case .anonymous: .everyone
        case .given(let keys): keys.credentialScope
        case .found(let finder): finder.credentialScope
        }
    }

    /// The bucket and the key.
    package func identity(of path: FolderPath) -> String {
        "s3://\(self.authority)/\(S3Signature.encoded(self.key(of: path), keepsSlashes: true))"
    }

    /// `false`: the entity tags of the responses identify the bytes.
    package var describesBytes: Bool { false }

    /// `true`: each request is signed.
    package var locatesEachRequest: Bool { true }

    /// The entry at a path: an object, or the common prefix of several keys.
    package func describe(_ path: FolderPath) async throws -> FolderEntry {
        if !path.isFolder {
            var answer = try await self.ask(
                "HEAD",
                self.key(of: path),
                about: self.displayName(of: path)
            )
            if answer.status == 400 || answer.status == 403 {
                // A response to HEAD gives no reason. The response to a listing does, and the
                // service may learn from it.
                _ = try await self.page(of: path, at: .start, limit: 1)
                answer = try await self.ask(
                    "HEAD",
                    self.key(of: path),
                    about: self.displayName(of: path)
                )
            }
            if answer.isSuccess {
                return FolderEntry(
                    name: path.name ?? "/",
                    kind: .file,
                    length: answer.headers["Content-Length"].flatMap { Int64($0) },
                    mediaType: answer.headers["Content-Type"].flatMap(MediaType.init(headerValue:)),
                    modifiedSeconds: answer.headers["Last-Modified"].flatMap(Int64.init(httpDate:)),
                    validator: answer.headers["ETag"].map { .entityTag($0) }
                )
            }
            guard answer.status == 404 else {
                throw self.failure(answer, about: self.displayName(of: path))
            }
        }
        let first = try await self.page(of: path, at: .start, limit: 1)
        guard !first.objects.isEmpty || !first.prefixes.isEmpty || path.components.isEmpty else {
            throw SourceError.notFound(
                self.displayName(of: path),
                status: 404,
                host: self.authority
            )
        }
        return FolderEntry(name: path.name ?? "/", kind: .folder)
    }

    /// The entries of a folder, 1,000 a page.
    package func list(_ path: FolderPath) -> FolderPages {
        FolderPages {
            let state = Mutex<(cursor: S3Cursor, isStalled: Bool)>((S3Cursor(), false))
            return {
                let (cursor, isStalled) = state.withLock { $0 }
                guard !isStalled else {
                    throw SourceError(
                        .originFailed,
                        "\(self.authority) says that \(self.displayName(of: path)) has more entries and does not list"
                            + " them, so the listing is incomplete; check the store.",
                        cause: IncompleteListing(),
                        host: self.authority
                    )
                }
                guard let place = cursor.place else { return nil }
                let page = try await self.page(of: path, at: place, limit: 1000)
                state.withLock { $0.isStalled = !$0.cursor.received(page) }
                let entries = self.entries(page, of: path)
                guard
                    !entries.isEmpty || place != .start || page.isTruncated
                        || !page.objects.isEmpty || path.components.isEmpty
                else {
                    throw SourceError.notFound(
                        self.displayName(of: path),
                        status: 200,
                        host: self.authority
                    )
                }
                return entries
            }
        }
    }

    /// The object's address, with header fields that are signed for the present time.
    package func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let request = try await self.signed(
            "GET",
            self.key(of: path),
            about: self.displayName(of: path)
        )
        return CloudLocation(
            OriginLocation(url: request.url, headers: request.headers, hidesPath: false),
            validity: .untilRefused
        )
    }

    /// Rules on a refusal by the reason in S3's body.
    package func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
        guard refusal.isDirect else { return .standard }
        let said = S3Failure(refusal.body)
        let error = self.failure(
            status: refusal.status,
            said,
            refusal.headers,
            about: self.displayName(of: path)
        )
        if self.learns(from: said, refusal.headers) {
            return refusal.repetition <= 3 ? .locateAnew(otherwise: error) : .refused(error)
        }
        switch said?.code {
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout":
            return .transient(after: nil)
        default:
            break
        }
        switch refusal.status {
        case 400, 401, 403, 404, 405: return .refused(error)
        default: return .standard
        }
    }
}

// MARK: Responses

extension S3 {
    private func page(
        of path: FolderPath,
        at place: S3Cursor.Place,
        limit: Int
    ) async throws -> S3Listing {
        let isOld = self.store.knowledge.withLock { $0.listsByVersion1 }
        var query: S3Query = [
            (name: "delimiter", value: Array("/".utf8)),
            (name: "encoding-type", value: Array("url".utf8)),
            (name: "max-keys", value: Array("\(limit)".utf8)),
            (name: "prefix", value: self.key(of: path.asFolder)),
        ]
        if !isOld { query.append((name: "list-type", value: Array("2".utf8))) }
        switch place {
        case .start: break
        case .token(let token):
            query.append((name: isOld ? "marker" : "continuation-token", value: Array(token.utf8)))
        case .after(let key):
            query.append((name: isOld ? "marker" : "start-after", value: key))
        }
        let answer = try await self.ask("GET", [], query, about: self.displayName(of: path))
        if answer.status == 501, !isOld, place == .start {
            self.store.knowledge.withLock { $0.listsByVersion1 = true }
            return try await self.page(of: path, at: place, limit: limit)
        }
        guard answer.isSuccess else {
            throw self.failure(answer, about: self.displayName(of: path))
        }
        guard let listing = S3Listing(answer.body) else {
            throw SourceError.badAnswer(
                self.displayName(of: path),
                "a response that is not a list of a bucket",
                status: answer.status,
                host: self.authority
            )
        }
        return listing
    }

    /// The entries of a page, without keys that no path can name, such as a key with two slashes in
    /// a row.
    private func entries(_ page: S3Listing, of path: FolderPath) -> [FolderEntry] {
        let prefix = self.key(of: path.asFolder)
        func name(_ key: [UInt8]) -> String? {
            guard key.starts(with: prefix) else { return nil }
            return FolderPath.name(ofBytes: Array(key.dropFirst(prefix.count)))
        }
        let folders = page.prefixes.compactMap { key in
            name(Array(key.last == UInt8(ascii: "/") ? key.dropLast() : key[...]))
                .map { FolderEntry(name: $0, kind: .folder) }
        }
        let files = page.objects.compactMap { object in
            name(object.key).map { name in
                FolderEntry(
                    name: name,
                    kind: .file,
                    length: object.length,
                    mediaType: nil,
                    modifiedSeconds: object.modifiedSeconds
                )
            }
        }
        return folders + files
    }

    func failure(_ answer: ServiceAnswer, about name: String) -> SourceError {
        if HTTPStatus.isBusy(answer.status) {
            return SourceError.throttled(
                name,
                answer: answer,
                host: self.authority
            )
        }
        return self.failure(
            status: answer.status,
            S3Failure(answer.body),
            answer.headers,
            about: name
        )
    }

    /// The source of the signing key as a message names it, ` in SOURCE`; empty if the source is
    /// unknown.
    private var keyPlace: String {
        let keys: S3Keys? =
            switch self.keySource {
            case .anonymous: nil
            case .given(let keys): keys
            case .found: self.store.knowledge.withLock { $0.keys }
            }
        return keys?.place.map { " in \($0)" } ?? ""
    }

    /// The error for a refused request; `said` is S3's reason, if any.
    private func failure(
        status: Int,
        _ said: S3Failure?,
        _ headers: HTTPHeaderList,
        about name: String
    ) -> SourceError {
        let host = self.authority
        func error(_ code: SourceError.Code, _ sentence: String) -> SourceError {
            SourceError(code, sentence, host: host, status: status)
        }
        /// Makes the owner's message with the source of the key, and the general message without
        /// it.
        func error(_ code: SourceError.Code, _ sentence: (String) -> String) -> SourceError {
            error(code, sentence("")).tellingOwner(sentence(self.keyPlace))
        }
        switch (said?.code, status) {
        case ("NoSuchKey"?, _): return SourceError.notFound(name, status: status, host: host)
        case ("NoSuchBucket"?, _):
            return error(
                .notFound,
                "\(host) has no such bucket; check the name of the bucket, and the endpoint."
            )
        case ("InvalidAccessKeyId"?, _):
            return error(.unauthorized) {
                "\(host) does not know the access key\($0); check which one is used, and whether it still exists."
            }
        case ("SignatureDoesNotMatch"?, _):
            return error(.unauthorized) {
                "\(host) says that the request for \(name) is signed wrongly; check the secret access key\($0), and"
                    + " the region."
            }
        case ("ExpiredToken"?, _), ("InvalidToken"?, _):
            return error(
                .unauthorized,
                "The temporary key for \(host) has expired; get a new one, for example with aws sso login."
            )
        case ("RequestTimeTooSkewed"?, _):
            return error(
                .forbidden,
                "\(host) refuses requests because the clock of this machine is too far off; set the clock."
            )
        case ("InvalidObjectState"?, _):
            return error(
                .forbidden,
                "\(name) is in an archive class of storage and has to be restored before it can be read; restore it first."
            )
        case (_, 401), (_, 403):
            guard case .anonymous = self.keySource else {
                return error(.forbidden) {
                    "The access key\($0) has no permission to read \(name) (status \(status)); ask its owner for"
                        + " access, or use another key."
                }
            }
            return error(
                .forbidden,
                "\(name) cannot be read without a key (status \(status)), and Weir sent none; name one in the"
                    + " configuration, or ask its owner to make it public."
            )
        case (_, 404): return SourceError.notFound(name, status: status, host: host)
        case (_, 500...): return SourceError.failed(name, status: status, host: host)
        default:
            let words = (said?.message ?? "").shownOnOneLine()
            let what = words.isEmpty ? "status \(status)" : "status \(status), “\(words)”"
            return SourceError.badAnswer(name, what, status: status, host: host)
        }
    }
}
