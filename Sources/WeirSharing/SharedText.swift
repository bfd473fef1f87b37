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
/// One process loads at a time. Each load gives the text a higher number, and a process asks for a text after the number
/// that it knows.
struct SharedTextMachine: Sendable {
    /// The permission to load a text.
    struct Ticket: Hashable, Sendable {
        let key: String
        /// The number of the text that the load will bring.
        let number: UInt64
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
        var began: Duration
        /// The running load.
        var load: (serial: UInt64, began: Duration)?

        /// Whether the text is current, or a load of it runs.
        func isUseful(at now: Duration) -> Bool {
            if let load, now - load.began < SharedTextMachine.patience { return true }
            return self.text.map { now - self.began < $0.lasts } ?? false
        }
    }

    /// How long a process waits for the load of another one; then it loads the text itself.
    static let patience = Duration.seconds(5)
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
    ///   - now: the time.
    /// - Returns: what the process does next.
    mutating func asked(for key: String, after number: UInt64, at now: Duration) -> Answer {
        self.entries = self.entries.filter { $0.value.isUseful(at: now) }
        var entry = self.entries[key] ?? Entry(began: now)
        if var text = entry.text, entry.number > number {
            text.age = now - entry.began
            return .text(text, number: entry.number)
        }
        if let load = entry.load, now - load.began < Self.patience {
            return .wait(atMost: load.began + Self.patience - now)
        }
        self.lastSerial += 1
        entry.load = (self.lastSerial, now)
        self.entries[key] = entry
        if self.entries.count > Self.capacity,
            let oldest = self.entries.filter({ $0.key != key }).min(by: {
                $0.value.began < $1.value.began
            })
        {
            self.entries[oldest.key] = nil
        }
        let next = max(entry.number, number).addingReportingOverflow(1).partialValue
        return .load(Ticket(key: key, number: next, serial: self.lastSerial))
    }

    /// A load has ended.
    ///
    /// - Parameters:
    ///   - ticket: the permission for the load.
    ///   - text: the loaded text; `nil` if the load failed, or its process has gone.
    ///   - now: the time.
    mutating func ended(_ ticket: Ticket, with text: SharedText?, at now: Duration) {
        guard var entry = self.entries[ticket.key], entry.load?.serial == ticket.serial else {
            return
        }
        entry.load = nil
        if let text, text.bytes.count <= SharedText.longest {
            entry.text = text
            entry.number = ticket.number
            entry.began = now - text.age
        }
        self.entries[ticket.key] = entry
    }
}

/// The texts that the processes of a cache directory load together, at its owner.
final class SharedTexts: Sendable {
    private let machine = Mutex(SharedTextMachine())
    /// Raised at the end of each load.
    private let loadEnded = Signal()
    private let timeline: Timeline

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Returns a newer text than the one that is known, or the permission to load it; waits while another process
    /// loads it.
    ///
    /// The caller must end a load with ``end(_:with:)``.
    ///
    /// - Throws: `CancellationError`.
    func ask(for key: String, after number: UInt64) async throws -> SharedTextMachine.Answer {
        while true {
            let count = self.loadEnded.count
            let now = self.timeline.elapsed()
            let answer = self.machine.withLock { $0.asked(for: key, after: number, at: now) }
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
