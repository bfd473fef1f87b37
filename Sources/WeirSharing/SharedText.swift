// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A text that changes and that several processes need, such as the playlist of a live stream.
///
/// It is in memory only, since its addresses may have signatures.
package struct SharedText: Hashable, Sendable {
    /// The longest text that is shared, in bytes; a message to the owner is at most twice as long.
    package static let longest = 512 << 10

    /// The longest address, and the longest entity tag, in bytes.
    static let longestName = 64 << 10

    package var bytes: [UInt8]
    /// The address of the text, after redirects.
    package var location: String
    /// The origin's strong entity tag; `nil` without one.
    package var entityTag: String?
    /// The time since its load began.
    package var age = Duration.zero
    /// How long it counts as current after its load began.
    package var lasts = Duration.zero

    package init(_ bytes: [UInt8], at location: String, entityTag: String?) {
        self.bytes = bytes
        self.location = location
        self.entityTag = entityTag
    }
}

/// Decides who loads a text that several processes need, and who waits for that load.
///
/// A process asks for a newer text than the one whose number it knows. While one process loads the text, others wait for
/// a moment, and then load it, too: no process depends on another one.
struct SharedTextMachine: Sendable {
    /// The permission to load a text.
    struct Ticket: Hashable, Sendable {
        let key: String
        /// The number of the text that the load will bring.
        let number: UInt64
        /// When the permission was given; the load cannot have begun before.
        fileprivate let began: Duration
        fileprivate let serial: UInt64
    }

    enum Answer: Equatable, Sendable {
        /// A newer text than the one that is known.
        case text(SharedText, number: UInt64)
        /// Load the text, and report the end of the load.
        case load(Ticket)
        /// Ask again after the end of a load, or after this time.
        case wait(atMost: Duration)
    }

    private struct Entry {
        var text: SharedText?
        var number: UInt64 = 0
        /// When the load of the text began.
        var began = Duration.zero
        /// When the running loads began, by their serial numbers.
        var loads: [UInt64: Duration] = [:]

        /// How long a process waits for the load of another one.
        var patience: Duration {
            self.text.map { min(SharedTextMachine.longestWait, $0.lasts / 4) }
                ?? SharedTextMachine.longestWait
        }

        /// Whether the text is current, or a load of it runs.
        func isUseful(at now: Duration) -> Bool {
            if self.loads.values.contains(where: { now - $0 < .seconds(60) }) { return true }
            return self.text.map { now - self.began < $0.lasts } ?? false
        }
    }

    /// The longest time that a process waits for the load of another one.
    static let longestWait = Duration.seconds(2)
    /// The most texts in memory.
    static let capacity = 64

    private var entries: [String: Entry] = [:]
    private var lastSerial: UInt64 = 0

    /// How many texts, or loads of them, are known.
    var count: Int { self.entries.count }

    /// A process needs a newer text than the one it knows.
    ///
    /// - Parameters:
    ///   - key: identifies the text.
    ///   - number: the number of the text that the process knows; 0 without one.
    ///   - start: when the process began to ask.
    ///   - now: the time.
    /// - Returns: what the process does next.
    mutating func asked(
        for key: String,
        after number: UInt64,
        since start: Duration,
        at now: Duration
    ) -> Answer {
        self.forgetOld(at: now)
        var entry = self.entries[key] ?? Entry()
        if var text = entry.text, entry.number > number {
            text.age = now - entry.began
            return .text(text, number: entry.number)
        }
        if let last = entry.loads.values.max() {
            let end = min(last, start) + entry.patience
            if now < end { return .wait(atMost: end - now) }
        }
        self.lastSerial += 1
        entry.loads[self.lastSerial] = now
        self.entries[key] = entry
        self.makeRoom(sparing: key)
        return .load(
            Ticket(
                key: key,
                number: max(entry.number, number).addingReportingOverflow(1).partialValue,
                began: now,
                serial: self.lastSerial
            )
        )
    }

    /// A load has ended.
    ///
    /// - Parameters:
    ///   - ticket: the permission for the load.
    ///   - text: the loaded text; `nil` if the load failed, or its process has gone. A text over
    ///     ``SharedText/longest`` is not kept.
    ///   - now: the time.
    mutating func ended(_ ticket: Ticket, with text: SharedText?, at now: Duration) {
        var entry = self.entries[ticket.key] ?? Entry()
        entry.loads[ticket.serial] = nil
        // Of loads that ran at the same time, the first to end counts for the other processes.
        if let text, text.bytes.count <= SharedText.longest, ticket.number > entry.number {
            entry.text = text
            entry.number = ticket.number
            entry.began = ticket.began
        }
        self.entries[ticket.key] = entry
        self.forgetOld(at: now)
        self.makeRoom(sparing: ticket.key)
    }

    private mutating func forgetOld(at now: Duration) {
        self.entries = self.entries.filter { $0.value.isUseful(at: now) }
    }

    private mutating func makeRoom(sparing key: String) {
        guard self.entries.count > Self.capacity else { return }
        let others = self.entries.filter { $0.key != key }
        let resting = others.filter { $0.value.loads.isEmpty }
        let oldest = (resting.isEmpty ? others : resting).min { $0.value.began < $1.value.began }
        if let oldest { self.entries[oldest.key] = nil }
    }
}

/// The texts that the processes of a cache directory load together, at its owner.
final class SharedTexts: Sendable {
    private let machine = Mutex(SharedTextMachine())
    /// Raised at the end of each load.
    private let loadEnded = Signal()
    private let timeline: Timeline

    /// - Parameter clock: measures the ages of texts; it must not stop while the system sleeps.
    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.timeline = Timeline(clock)
    }

    /// Returns a newer text than the one that is known, or the permission to load it; waits for a moment while another
    /// process loads it.
    ///
    /// The caller must end a load with ``end(_:with:)``.
    ///
    /// - Throws: `CancellationError`.
    func ask(for key: String, after number: UInt64) async throws -> SharedTextMachine.Answer {
        let start = self.timeline.elapsed()
        while true {
            let count = self.loadEnded.count
            let now = self.timeline.elapsed()
            let answer = self.machine.withLock {
                $0.asked(for: key, after: number, since: start, at: now)
            }
            guard case .wait(let time) = answer else { return answer }
            _ = try await self.loadEnded.wait(after: count, atMost: time, on: self.timeline)
        }
    }

    /// Ends a load; `text` is `nil` if it failed.
    func end(_ ticket: SharedTextMachine.Ticket, with text: SharedText?) {
        let now = self.timeline.elapsed()
        self.machine.withLock { $0.ended(ticket, with: text, at: now) }
        self.loadEnded.raise()
    }
}
