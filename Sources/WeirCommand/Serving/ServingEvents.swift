// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Metrics
import Synchronization
import WeirConsole
import WeirLive
import WeirProxy
import WeirSource

/// Passes events during serving to the page, the log and the metrics.
final class ServingEvents: Sendable {
    /// The events for the page.
    let list = ConsoleEvents()
    private let trouble = Mutex<String?>(nil)
    private let log: RequestLog?
    private let metrics: ProxyMetrics?

    /// - Parameters:
    ///   - form: the form of the log on standard error; `nil` for no log.
    ///   - isCounted: whether the program's metrics count players' requests.
    init(logging form: LineLogHandler.Form?, isCounted: Bool) {
        self.log = form.map { form in
            RequestLog(Logger(label: "weir") { _ in LineLogHandler(form) { Output.note($0) } })
        }
        self.metrics = isCounted ? ProxyMetrics(factory: ProgramMetrics.registry) : nil
    }

    /// Whether a log is written, which makes other messages redundant.
    var hasLog: Bool { self.log != nil }

    /// Why the cache cannot store data at present; `nil` if it can.
    var cacheTrouble: String? { self.trouble.withLock { $0 } }

    /// Takes an event of the library.
    func observed(_ event: SourceEvent) {
        switch event {
        case .received, .bytesHeld: return
        case .cacheDegraded(let reason): self.trouble.withLock { $0 = reason }
        case .cacheRecovered: self.trouble.withLock { $0 = nil }
        default: break
        }
        let kind = event.shown
        guard self.log != nil || kind != nil else { return }
        guard let line = event.line(isVerbose: true, isQuiet: false) else { return }
        let text = line.droppingLabel
        self.log?.log(text, isTrouble: kind?.isTrouble ?? false)
        guard let kind else { return }
        self.list.note(
            ConsoleEvent(
                kind: kind.name,
                subject: kind.subject,
                text: text,
                isTrouble: kind.isTrouble
            )
        )
    }

    /// Takes a finished request of a player.
    func finished(_ record: ProxyRequestRecord) {
        self.metrics?.count(record)
        self.log?.log(record, as: record.line)
        FreedMemory.returnLater()
    }

    /// Lists the changes of a station's connection, until the station is closed.
    func follow(_ station: NamedStation) {
        let changes = station.station.statusChanges()
        let name = station.name
        // The station owns the task: when the station closes, its changes end, and the task with
        // them.
        Task {
            var watch = StationWatch()
            for await status in changes {
                guard let event = watch.event(after: status) else { continue }
                self.log?.log("\(name): \(event.text)", isTrouble: event.isTrouble)
                self.list.note(
                    ConsoleEvent(
                        kind: event.kind,
                        subject: name,
                        text: event.text,
                        isTrouble: event.isTrouble
                    )
                )
            }
        }
    }

    /// Counts a player that received no bytes for a while in the middle of a response.
    func ranDry() { self.metrics?.countUnderrun() }

    /// Counts a limit that has delayed a player.
    func limited(_ limit: ProxyLimit) { self.metrics?.count(limit) }

    /// Lists a failed request on the page.
    func failed(_ target: String, _ sentence: String) {
        self.list.note(
            ConsoleEvent(kind: "requestFailed", subject: target, text: sentence, isTrouble: true)
        )
    }
}

/// The metrics of the program; the first use installs them in swift-metrics.
enum ProgramMetrics {
    static let registry: PrometheusRegistry = {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()
}

extension SourceEvent {
    /// The event's kind and subject for the page; `nil` for events of ordinary requests.
    fileprivate var shown: (name: String, subject: String?, isTrouble: Bool)? {
        switch self {
        case .requested, .answered, .received, .redirected, .waitingForConnection, .requestHeld,
            .bytesHeld, .silent:
            nil
        case .tier(.paused): ("tierPaused", nil, true)
        case .tier(.damaged): ("tierDamaged", nil, true)
        case .tier: nil
        case .retrying(let resource, _, _, _, _): ("retrying", resource, false)
        case .waiting(let resource, _, _): ("waiting", resource, false)
        case .linkRenewed(let host): ("linkRenewed", host, false)
        case .credentialRefreshed(let account): ("credentialRefreshed", account, false)
        case .changed(let host): ("changed", host, false)
        case .storingForbidden(let resource, _): ("storingForbidden", resource, false)
        case .refusedThoughHeld(let resource, _, _, _): ("refusedThoughHeld", resource, true)
        case .cacheDegraded: ("cacheDegraded", nil, true)
        case .downloadsUnreadable: ("downloadsUnreadable", nil, true)
        case .cacheRecovered: ("cacheRecovered", nil, false)
        case .cacheDamaged: ("cacheDamaged", nil, true)
        case .cacheEvicted: ("cacheEvicted", nil, false)
        case .keySuspected(let resource, _): ("keySuspected", resource, true)
        case .encrypted(let resource, _): ("encrypted", resource, true)
        }
    }
}

extension String {
    /// The line without the label "warning: " and without indentation.
    fileprivate var droppingLabel: String {
        let text = self.hasPrefix("warning: ") ? String(self.dropFirst("warning: ".count)) : self
        let plain = String(text.drop { $0 == " " })
        return plain.prefix(1).uppercased() + plain.dropFirst()
    }
}
