// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

/// Calls a radio station: asks its address for the stream with titles, and follows where it is sent.
///
/// Every call starts at the first address: stations give out addresses that expire. A call has no time limit of its own
/// but the transport's for the connection, and repeats nothing: how long to wait and when to call again is the business
/// of whoever calls, who ends a call by cancelling its task. A call and its stream hold one connection.
///
/// The user's headers go to the origin that the user named, and to no other. A redirect from https to http is followed
/// if no such header was given, since many stations are announced over https and sent over http; else it is refused.
///
/// The transport must read what stations answer, as ``AsyncHTTPClientTransport`` does; over another one, stations that
/// keep to HTTP can be called.
public final class StationCaller: Sendable {
    /// Which address of a station is meant.
    public enum Target: Hashable, Sendable {
        /// The station's own.
        case station
        /// One that the station's playlist named: absolute, or relative to where the playlist was had in the end.
        case entry(String)
    }

    /// How the station is called in sentences; no query and no credential is in it.
    public let display: String

    private let route: StationRoute
    private let transport: any HTTPTransport
    private let maximumRedirects: Int
    private let observer: SourceObserver?
    /// Where the last playlist was had, or what may be one.
    private let playlist: Mutex<OriginExchange.Target>

    /// Makes a caller; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - url: the station's address; ``OriginURL/init(station:)`` reads those without a path.
    ///   - headers: what the station's own origin is to be told. `Range`, `Accept-Encoding` and `Icy-MetaData` are left
    ///     out; a `User-Agent` should not begin with `Mozilla`, to which many servers send a page.
    ///   - transport: sends the requests.
    ///   - maximumRedirects: how many are followed in a row.
    ///   - observer: is told of requests, answers, redirects and bytes.
    public init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        transport: any HTTPTransport,
        maximumRedirects: Int = 10,
        observer: SourceObserver? = nil
    ) {
        self.display = url.display
        self.route = StationRoute(url, headers: headers)
        self.transport = transport
        self.maximumRedirects = maximumRedirects
        self.observer = observer
        self.playlist = Mutex(self.route.start)
    }

    /// Calls, and returns when the head of the answer has come.
    ///
    /// - Parameter target: the station, or an entry of its playlist.
    /// - Returns: the answer, of status 200; its stream is to be pulled, or dropped.
    /// - Throws: `SourceError` with `unauthorized`, `forbidden`, `notFound` (404, 410), `throttled` (429, 503; its
    ///   cause is a ``StationBusy`` where the server says for how long), `originFailed` (other 5xx), `badAnswer` (any
    ///   other status, redirects without an end, what is not HTTP), `unreachable`, `timedOut`, `insecure`, `closed`;
    ///   `CancellationError`, at once, when the calling task is cancelled.
    public func call(_ target: Target = .station) async throws -> StationReply {
        var current = try self.start(of: target)
        var redirects = 0
        while true {
            let failures = self.failures(at: current)
            let response = try await self.ask(current, failures)
            guard [301, 302, 303, 307, 308].contains(response.status) else {
                return try self.reply(response, of: target, at: current, failures)
            }
            response.body.cancel()
            redirects += 1
            guard redirects <= self.maximumRedirects else {
                throw failures.tooManyRedirects(self.maximumRedirects)
            }
            guard let location = response.headers["Location"] else {
                throw failures.wrong("a redirect to nowhere", status: response.status)
            }
            let next = try self.route.redirect(to: location, from: current)
            self.observer?(
                .redirected(from: self.route.shown(current), to: self.route.shown(next))
            )
            current = next
        }
    }

    private func start(of target: Target) throws(SourceError) -> OriginExchange.Target {
        guard case .entry(let entry) = target else { return self.route.start }
        let playlist = self.playlist.withLock { $0 }
        do throws(SourceError) {
            return try self.route.entry(entry, of: playlist)
        } catch {
            throw self.failures(at: playlist).unusableEntry(error)
        }
    }

    private func ask(_ target: OriginExchange.Target, _ failures: StationFailures) async throws
        -> HTTPTransportResponse
    {
        let host = target.url.authority
        self.observer?(.requested(host: host, range: nil))
        do {
            let response = try await self.transport.send(
                HTTPTransportRequest(url: target.url, headers: self.route.fields(to: target))
            )
            self.observer?(.answered(host: host, status: response.status))
            return response
        } catch let error as HTTPTransportError {
            throw failures.unanswered(error)
        }
    }

    /// Takes an answer that is no redirect.
    private func reply(
        _ response: HTTPTransportResponse,
        of target: Target,
        at current: OriginExchange.Target,
        _ failures: StationFailures
    ) throws(SourceError) -> StationReply {
        let head = AnswerHead(status: response.status, headers: response.headers)
        guard response.status == 200 else {
            response.body.cancel()
            let delay = head.headers["Retry-After"].flatMap {
                RetryAfter.delay($0, date: head.headers["Date"])
            }
            throw failures.refused(status: response.status, delay: delay)
        }
        guard head.unwantedCodings.isEmpty else {
            response.body.cancel()
            throw failures.wrong("it in a coding that was not asked for", status: response.status)
        }
        let reply = StationReply(
            response.headers,
            display: self.route.shown(current),
            stream: StationStream(response.body, failures, observer: self.observer)
        )
        // The addresses in a playlist are seen from the playlist's own, also where one playlist names another.
        if target == .station || reply.namesPlaylist(at: current.url) {
            self.playlist.withLock { $0 = current }
        }
        return reply
    }

    private func failures(at target: OriginExchange.Target) -> StationFailures {
        StationFailures(display: self.route.shown(target), host: target.url.authority)
    }
}

extension StationReply {
    /// Whether type or name say that this is a list of other addresses.
    fileprivate func namesPlaylist(at url: OriginURL) -> Bool {
        let types = ["scpls", "mpegurl", "xspf", "x-ms-asf", "x-ms-asx", "x-ms-wax"]
        if let type = self.mediaType, types.contains(where: { type.contains($0) }) { return true }
        return ["pls", "m3u", "m3u8", "xspf", "asx", "wax"].contains(url.fileExtension ?? "")
    }
}

/// That a station's server said how long it wants to be left alone (`Retry-After`): the cause of such a `throttled`.
public struct StationBusy: Error, Hashable, Sendable {
    /// How long; what the server says may be a second or years.
    public let delay: Duration

    init(_ delay: Duration) {
        self.delay = delay
    }
}

/// What a station's server answered: the fields, and the stream behind them.
public struct StationReply: Sendable {
    /// The fields of the head, in their order.
    public var headers: HTTPHeaderList
    /// The `Content-Type` without its parameters, in lower case; `nil` if there is none.
    public var mediaType: String?
    /// Who answered in the end, for sentences; no query and no credential is in it.
    public var display: String
    /// The bytes, with titles still in them where `icy-metaint` says so.
    public var stream: StationStream

    init(_ headers: HTTPHeaderList, display: String, stream: StationStream) {
        self.headers = headers
        let type = headers["Content-Type"].map { ParameterizedValue($0).value.lowercased() }
        self.mediaType = type.flatMap { $0.isEmpty ? nil : $0 }
        self.display = display
        self.stream = stream
    }
}
