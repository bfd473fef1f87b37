// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// Connects to a radio station over HTTP: requests the stream with titles, and follows redirects.
///
/// Every connection starts at the first address, since stations give out addresses that expire. The
/// only time limit is the transport's limit for the connection, and nothing is retried. The caller
/// decides how long to wait and when to connect again, and ends an attempt by cancelling its task.
/// A response and its body hold one connection.
///
/// The user's headers go only to the origin that the user named. A redirect from https to http is
/// followed if no secret header was given, since many stations are announced over https and sent
/// over http. Otherwise it is refused.
///
/// The HTTP transport must accept the responses of radio stations, as ``ConnectionTransport`` does.
/// Another transport reaches only stations that follow HTTP.
package final class HTTPStationTransport: StationTransport {
    /// The station's name in messages, without a query or a credential.
    package let display: String

    /// The default limit of redirects in a row.
    package static let maximumRedirects = 20

    private let route: StationRoute
    private let transport: any HTTPTransport
    private let maximumRedirects: Int
    private let observer: SourceObserver?
    /// Remembers the end of a chain of redirects, with the given headers.
    private let redirects: RedirectMemory?
    private let headers: HTTPHeaderList
    /// The address of the last playlist, or of a response that may be a playlist.
    private let playlist: Mutex<OriginExchange.Target>

    /// Creates a transport; it sends nothing yet.
    ///
    /// - Parameters:
    ///   - url: the station's address; ``OriginURL/init(station:)`` reads addresses without a path.
    ///   - headers: fields for the station's own origin. `Range`, `Accept-Encoding` and
    ///     `Icy-MetaData` are left out. A `User-Agent` should not begin with `Mozilla`, since many
    ///     servers then send a page.
    ///   - transport: sends the requests.
    ///   - maximumRedirects: how many redirects in a row are followed.
    ///   - redirects: remembers chains of redirects, for an ``HTTPOrigin`` of the same address.
    ///   - observer: receives requests, responses, redirects and bytes.
    package init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        transport: any HTTPTransport,
        maximumRedirects: Int = HTTPStationTransport.maximumRedirects,
        redirects: RedirectMemory? = nil,
        observer: SourceObserver? = nil
    ) {
        self.redirects = redirects
        self.headers = headers
        self.display = url.display
        self.route = StationRoute(url, headers: headers)
        self.transport = transport
        self.maximumRedirects = maximumRedirects
        self.observer = observer
        self.playlist = Mutex(self.route.start)
    }

    /// Connects, and returns when the head of the response has arrived.
    ///
    /// - Parameter target: the station, or an entry of its playlist.
    /// - Returns: the response, with status 200; the caller pulls or drops its body. The body
    ///   copies its bytes once. A station sends about a kilobyte at a time, and without the copy
    ///   each piece would keep a large receive buffer in memory.
    /// - Throws: `SourceError` with `unauthorized`, `forbidden`, `notFound` (404, 410), `throttled`
    ///   (429, 503; its cause is a `StationPatience` if the server gives a delay), `originFailed`
    ///   (other 5xx), `badAnswer` (any other status, endless redirects, data other than HTTP),
    ///   `unreachable`, `timedOut`, `insecure`, `closed`; `CancellationError`, at once, when the
    ///   calling task is cancelled.
    package func connect(to target: StationTarget) async throws -> StationAnswer {
        var current = try self.start(of: target)
        let first = current
        var redirects = 0
        // Kept only for this chain, which is shorter than any cookie's lifetime; so the clock stays
        // at zero.
        var cookies = CookieJar()
        var asked: Set<RedirectStep> = [RedirectStep(current.url, cookies)]
        var mayRenew = true
        // An `HTTPOrigin` follows no redirect from https to http, so a chain with one is not
        // remembered.
        var isSafe = target == .station
        while true {
            let failures = self.failures(at: current)
            let password = current.isTrusted ? self.route.password : nil
            let authorization = try await password?.authorization(method: "GET", url: current.url)
            let response = try await self.ask(current, with: authorization, cookies, failures)
            cookies.received(response.headers, from: current.url, at: .zero)
            if response.status == 401, mayRenew, let password {
                let challenges = response.headers.values(of: "WWW-Authenticate")
                mayRenew = false
                if try await password.refused(authorization, challenges: challenges) {
                    response.body.cancel()
                    continue
                }
            }
            guard HTTPStatus.isRedirect(response.status) else {
                let answer = try self.answer(response, of: target, at: current, failures)
                if isSafe, redirects > 0 {
                    self.redirects?.add(
                        RedirectMemory.Walk(
                            from: first.url,
                            headers: self.headers,
                            target: current,
                            cookies: cookies
                        )
                    )
                }
                return answer
            }
            response.body.cancel()
            redirects += 1
            guard let location = response.headers["Location"] else {
                throw failures.wrong("a redirect without a target", status: response.status)
            }
            let next = try self.route.redirect(to: location, from: current)
            let (start, end) = (self.route.told(first), self.route.told(next))
            guard asked.insert(RedirectStep(next.url, cookies)).inserted else {
                throw failures.circularRedirects(from: start, to: end)
            }
            guard redirects <= self.maximumRedirects else {
                throw failures.tooManyRedirects(self.maximumRedirects, from: start, to: end)
            }
            self.observer?(
                .redirected(from: self.route.shown(current), to: self.route.shown(next))
            )
            isSafe = isSafe && (current.url.scheme == .http || next.url.scheme == .https)
            current = next
        }
    }

    private func start(of target: StationTarget) throws(SourceError) -> OriginExchange.Target {
        guard case .entry(let entry) = target else { return self.route.start }
        let playlist = self.playlist.withLock { $0 }
        do throws(SourceError) {
            return try self.route.entry(entry, of: playlist)
        } catch {
            throw self.failures(at: playlist).unusableEntry(error)
        }
    }

    private func ask(
        _ target: OriginExchange.Target,
        with authorization: String?,
        _ cookies: CookieJar,
        _ failures: StationFailures
    ) async throws -> HTTPTransportResponse {
        let host = target.url.authority
        var headers = self.route.fields(to: target)
        if let authorization {
            headers.remove("Authorization")
            headers.append("Authorization", authorization)
        }
        cookies.add(to: &headers, for: target.url)
        self.observer?(.requested(host: host, range: nil))
        do {
            let response = try await self.transport.send(
                HTTPTransportRequest(url: target.url, headers: headers)
            )
            self.observer?(.answered(host: host, status: response.status))
            return response
        } catch let error as HTTPTransportError {
            throw failures.unanswered(error)
        }
    }

    /// Handles a response that is not a redirect.
    private func answer(
        _ response: HTTPTransportResponse,
        of target: StationTarget,
        at current: OriginExchange.Target,
        _ failures: StationFailures
    ) throws(SourceError) -> StationAnswer {
        let head = AnswerHead(status: response.status, headers: response.headers)
        guard response.status == 200 else {
            response.body.cancel()
            throw failures.refused(status: response.status, delay: head.headers.retryAfter)
        }
        guard head.unwantedCodings.isEmpty else {
            response.body.cancel()
            throw failures.wrong(
                "it in a coding that Weir did not request",
                status: response.status
            )
        }
        let type = head.headers["Content-Type"].map { ParameterizedValue($0).value.lowercased() }
        let answer = StationAnswer(
            fields: head.headers.headers.map { ($0.name, $0.value) },
            mediaType: Self.mediaType(type.flatMap { $0.isEmpty ? nil : $0 }, at: current.url),
            display: self.route.shown(current),
            body: StationStream(response.body, failures, observer: self.observer)
        )
        // Addresses in a playlist are relative to the playlist's own address, also if another
        // playlist named it.
        if target == .station || answer.namesPlaylist(at: current.url) {
            self.playlist.withLock { $0 = current }
        }
        return answer
    }

    /// The media type: if the response's type is not informative, the ending of a playlist's name
    /// decides.
    private static func mediaType(_ declared: String?, at url: OriginURL) -> String? {
        let says = declared.map { MediaType(headerValue: $0)?.isUninformative == false } ?? false
        guard !says, ["pls", "m3u", "m3u8", "xspf"].contains(url.fileExtension ?? "") else {
            return declared
        }
        // A name that ends in `m3u8`, as in HLS, often belongs to a plain list.
        let ending = url.fileExtension == "m3u8" ? "m3u" : url.fileExtension
        return ending.flatMap { MediaType(fileExtension: $0) }?.description ?? declared
    }

    private func failures(at target: OriginExchange.Target) -> StationFailures {
        StationFailures(
            display: self.route.shown(target),
            host: target.url.authority,
            sent: SentCredential(in: self.route.fields(to: target))
        )
    }
}

extension StationAnswer {
    /// Whether type or name show a list of other addresses.
    fileprivate func namesPlaylist(at url: OriginURL) -> Bool {
        let types = ["scpls", "mpegurl", "xspf", "x-ms-asf", "x-ms-asx", "x-ms-wax"]
        if let type = self.mediaType, types.contains(where: { type.contains($0) }) { return true }
        return ["pls", "m3u", "m3u8", "xspf", "asx", "wax", "ram"].contains(url.fileExtension ?? "")
    }
}
