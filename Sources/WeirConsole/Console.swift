// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirCache
package import WeirProxy
package import WeirSource

/// Answers requests below `/page/`: a page that shows a library at work, its data, actions, and
/// metrics.
///
/// | path | method | answer |
/// |---|---|---|
/// | `/` and its files | GET | the page; it needs no secret, since it holds no data |
/// | `/state` | GET | ``ConsoleState`` |
/// | `/events` | GET | the same as a line, then a line for each change, without an end |
/// | `/metrics` | GET | text for Prometheus |
/// | `/actions/NAME?resource=ID` | POST | performs a ``ConsoleAction`` |
/// | `/export/TICKET/NAME` | GET | a file, once |
///
/// A request needs the console's secret, as `Authorization: Bearer SECRET`, unless it is for the
/// page itself or for an export. It is not the secret of media URLs. The console neither sets nor
/// reads a cookie.
package final class Console: PageService {
    /// The secret of the data and the actions.
    private let secret: ProxySecret
    private let subject: ConsoleSubject
    private let metrics: PrometheusRegistry
    private let feed: ConsoleFeed
    private let events: ConsoleEvents
    private let tickets: ExportTickets
    private let gauges: ConsoleGauges
    private let rest: RestDownloads

    /// Makes a console.
    ///
    /// - Parameters:
    ///   - subject: the content of the page.
    ///   - secret: the secret of the data and the actions.
    ///   - metrics: the registry behind the program's metrics system.
    ///   - events: past and future events, which the pages receive.
    ///   - version: the version of the program.
    ///   - timeline: the clock of the console.
    package init(
        _ subject: ConsoleSubject,
        secret: ProxySecret,
        metrics: PrometheusRegistry,
        events: ConsoleEvents,
        version: String,
        timeline: Timeline = Timeline(ContinuousClock())
    ) {
        self.subject = subject
        self.secret = secret
        self.metrics = metrics
        self.events = events
        self.tickets = ExportTickets(timeline)
        self.gauges = ConsoleGauges(metrics)
        self.rest = RestDownloads(subject.library.downloads) { download, failure in
            events.note(
                ConsoleEvent(
                    kind: "action",
                    subject: download.display,
                    text: failure.message,
                    isTrouble: true
                )
            )
        }
        self.feed = ConsoleFeed(
            subject,
            server: ConsoleState.Server(version: version, started: Date()),
            events: events,
            timeline: timeline
        ) {
            ConsoleState.Counts(metrics)
        }
    }

    package func answer(_ request: PageRequest) async -> PageAnswer {
        guard request.isFromThisMachine else {
            return .sentence(
                "The page answers on the machine that weir runs on; open a tunnel to it, for example with ssh -L.",
                status: 403
            )
        }
        if request.path.isEmpty {
            return .sentence(
                "The page is at /page/.",
                status: 308,
                fields: [("Location", "/page/")]
            )
        }
        if let file = PageFile.all[request.path] {
            return request.method == .post ? .methodNotAllowed("GET, HEAD") : file.answer
        }
        guard !request.isFromAnotherSite else {
            return .sentence("A page of another site has no access to this address.", status: 403)
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[1] == "export" {
            guard request.method == .get else { return .methodNotAllowed("GET") }
            return self.export(String(parts[2]))
        }
        guard self.isAuthorized(request) else {
            return .sentence(
                "The secret of this page is wrong or missing; open the address that weir serve printed, or run weir open.",
                status: 401,
                fields: [("WWW-Authenticate", "Bearer")]
            )
        }
        if parts.count == 3, parts[1] == "actions" {
            guard request.method == .post else { return .methodNotAllowed("POST") }
            guard let action = ConsoleAction(String(parts[2]), query: request.query) else {
                return .sentence(
                    "The action is unknown, or a part of it is missing.",
                    status: 404
                )
            }
            return await self.perform(action)
        }
        guard request.method != .post else { return .methodNotAllowed("GET, HEAD") }
        switch request.path {
        case "/state":
            return PageAnswer(
                fields: PageAnswer.fields(type: "application/json"),
                body: .bytes(await self.feed.snapshot())
            )
        case "/events":
            return PageAnswer(
                fields: PageAnswer.fields(type: "application/x-ndjson"),
                body: .reading(.endless(await self.feed.stream()))
            )
        case "/metrics":
            await self.gauges.set(self.subject)
            return PageAnswer(
                type: "text/plain; version=0.0.4; charset=utf-8",
                Array(self.metrics.text.utf8)
            )
        default:
            return .sentence("There is nothing at this address.", status: 404)
        }
    }

    private func isAuthorized(_ request: PageRequest) -> Bool {
        let scheme = "bearer "
        guard let value = request.authorization,
            value.prefix(scheme.count).lowercased() == scheme
        else { return false }
        return self.secret.matches(value.dropFirst(scheme.count).utf8)
    }

    private func export(_ ticket: String) -> PageAnswer {
        guard let identifier = self.tickets.redeem(ticket) else {
            return .sentence(
                "This download has been used or has expired; start another one on the page.",
                status: 404
            )
        }
        do {
            guard let reading = try self.subject.library.reading(identifier: identifier) else {
                return .sentence(ConsoleAction.gone, status: 404)
            }
            let type = reading.resource.mediaType?.essence ?? "application/octet-stream"
            var fields = PageAnswer.fields(type: type)
            fields.append(("Content-Disposition", "attachment"))
            return PageAnswer(fields: fields, body: .reading(reading))
        } catch {
            return .sentence("\(error)", status: 409)
        }
    }
}

// MARK: Actions

extension Console {
    private func perform(_ action: ConsoleAction) async -> PageAnswer {
        do {
            var subject = action.resource
            if let id = subject, let known = await self.feed.details(of: id) {
                subject = known.display
            }
            let answer = try await self.outcome(of: action)
            if answer.status == 200, let text = action.event {
                self.events.note(
                    ConsoleEvent(kind: "action", subject: subject, text: text, isTrouble: false)
                )
            }
            return answer
        } catch is CancellationError {
            return .sentence("The action was stopped.", status: 503)
        } catch let error as CacheError where error.code == .incomplete {
            return .sentence("\(error)", status: 409)
        } catch {
            return .sentence("\(error)", status: 500)
        }
    }

    private func outcome(of action: ConsoleAction) async throws -> PageAnswer {
        let library = self.subject.library
        switch action {
        case .pin(let id, let isPinned):
            guard try await library.pin(identifier: id, isPinned) else { return .gone }
            return .done(
                isPinned
                    ? "It stays in the cache, whatever the limits are."
                    : "The limits apply to it again."
            )
        case .remove(let id):
            guard try await library.remove(identifier: id) else { return .gone }
            return .done("It is no longer in the cache.")
        case .verify(let id):
            guard let found = try await library.verify(identifier: id) else { return .gone }
            return .done(
                found.damagedByteCount == 0
                    ? "All \(found.soundByteCount) held bytes are as they were written."
                    : "\(found.damagedByteCount) bytes were damaged on the disk, and Weir fetches them again when"
                        + " they are needed; \(found.soundByteCount) are as they were written.",
                ["sound": found.soundByteCount, "damaged": found.damagedByteCount]
            )
        case .play(let id):
            guard let resource = try await self.resource(id) else { return .gone }
            guard let path = await self.subject.path(resource) else { return .notServed }
            return .done("It plays.", url: path)
        case .fetch(let id):
            guard let resource = try await self.resource(id) else { return .gone }
            guard !resource.isComplete else { return .done("The cache already holds all of it.") }
            guard !library.configuration.isOffline else {
                return .sentence(
                    "weir serve runs with --offline and asks no origin; start it without --offline.",
                    status: 409
                )
            }
            guard let media = await self.subject.media(resource) else { return .notServed }
            try await self.rest.add(media)
            return .done("The rest is being fetched.")
        case .export(let id):
            guard let resource = try await self.resource(id) else { return .gone }
            guard resource.isComplete else {
                return .sentence(
                    "The cache does not hold all of it, so it cannot be exported; fetch the rest first.",
                    status: 409
                )
            }
            guard let ticket = self.tickets.issue(for: id) else {
                return .sentence(
                    "Too many downloads wait to be fetched; try again in a minute.",
                    status: 503
                )
            }
            return .done("The download begins.", url: "/page/export/\(ticket)/\(resource.fileName)")
        case .limits(let change):
            guard library.cacheSnapshot(of: 0) != nil else {
                return .sentence(
                    "Another weir process owns the cache; change the limits there.",
                    status: 409
                )
            }
            var limits = library.cacheLimits
            change.apply(to: &limits)
            library.cacheLimits = limits
            return .done("These limits apply until weir ends.")
        }
    }

    /// A resource from the cache's list.
    private func resource(_ id: String) async throws -> CachedResource? {
        if let known = await self.feed.details(of: id), known.isComplete { return known }
        return try await self.subject.library.resources().first { $0.identifier == id }
    }
}

extension CachedResource {
    /// The last segment of an address, percent-encoded, from which a browser takes the name of a
    /// download.
    fileprivate var fileName: String {
        let source = self.display.split(separator: "/").last.map(String.init)
        let name = (self.name ?? source ?? "").drop { $0 == "." || $0 == "/" }
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._"
        )
        let encoded = String(name).addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        return encoded.isEmpty ? "media" : encoded
    }
}

extension ConsoleState.Counts {
    fileprivate init(_ metrics: PrometheusRegistry) {
        self.requests = metrics.sum(of: "weir_requests_total")
        self.failures = metrics.sum(of: "weir_requests_total", where: "outcome=\"failed\"")
        self.refused = metrics.sum(of: "weir_requests_total", where: "outcome=\"refused\"")
        self.served = metrics.sum(of: "weir_served_bytes_total")
        self.origin = metrics.sum(of: "weir_origin_received_bytes_total")
        self.originRequests = metrics.sum(of: "weir_origin_requests_total")
        self.retries = metrics.sum(of: "weir_origin_retries_total")
        self.evictions = metrics.sum(of: "weir_cache_evictions_total")
        self.underruns = metrics.sum(of: "weir_underruns_total")
    }
}

// MARK: Answers

extension PageAnswer {
    /// The fields of every answer.
    ///
    /// They forbid a browser to load data from other origins, to embed the answer in another page,
    /// and to store it.
    static func fields(type: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", type),
            ("Cache-Control", "no-store"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self';"
                    + " connect-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Frame-Options", "DENY"),
        ]
    }

    init(type: String, _ bytes: [UInt8], status: Int = 200) {
        self.init(status: status, fields: Self.fields(type: type), body: .bytes(ByteMemory(bytes)))
    }

    /// A sentence for a person.
    fileprivate static func sentence(
        _ text: String,
        status: Int,
        fields: [(name: String, value: String)] = []
    ) -> PageAnswer {
        var answer = PageAnswer(
            type: "text/plain; charset=utf-8",
            Array("\(text)\n".utf8),
            status: status
        )
        answer.fields += fields
        return answer
    }

    fileprivate static func methodNotAllowed(_ methods: String) -> PageAnswer {
        .sentence(
            "This address supports only \(methods.replacing(", ", with: " and ")).",
            status: 405,
            fields: [("Allow", methods)]
        )
    }

    fileprivate static var gone: PageAnswer { .sentence(ConsoleAction.gone, status: 404) }

    fileprivate static var notServed: PageAnswer {
        .sentence(
            "weir serve does not serve it now; start weir serve with the folder that it is in.",
            status: 404
        )
    }

    /// Answers that an action was carried out.
    fileprivate static func done(
        _ text: String,
        _ counts: [String: Int64] = [:],
        url: String? = nil
    ) -> PageAnswer {
        struct Outcome: Encodable {
            var text: String
            var url: String?
            var sound: Int64?
            var damaged: Int64?
        }
        let outcome = Outcome(
            text: text,
            url: url,
            sound: counts["sound"],
            damaged: counts["damaged"]
        )
        return PageAnswer(type: "application/json", ConsoleFeed.json(outcome))
    }
}

extension ByteReading {
    /// A reading of lines, without an end.
    fileprivate static func endless(_ lines: AsyncStream<ByteMemory>) -> ByteReading {
        ByteReading(
            resource: ResourceDescription(length: nil),
            lowerBound: 0,
            upperBound: nil,
            producer: LineProducer(lines)
        )
    }
}
