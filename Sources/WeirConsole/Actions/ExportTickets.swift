// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirProxy
import WeirSource

/// Lets a browser download a file by an address alone, once, and for a short time.
///
/// A browser's download cannot send a secret in a header.
final class ExportTickets: Sendable {
    /// How long a ticket is valid.
    static let lifetime = Duration.seconds(60)
    /// How many tickets may be valid at a time.
    static let capacity = 64

    private let timeline: Timeline
    private let tickets = Mutex<[String: (identifier: String, end: Duration)]>([:])

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Makes a ticket for a resource; `nil` if too many are valid.
    func issue(for identifier: String) -> String? {
        let now = self.timeline.elapsed()
        return self.tickets.withLock { tickets in
            tickets = tickets.filter { $0.value.end > now }
            guard tickets.count < Self.capacity else { return nil }
            let ticket = ProxySecret().text
            tickets[ticket] = (identifier, now + Self.lifetime)
            return ticket
        }
    }

    /// Uses up a ticket, and returns its resource; `nil` if the ticket is not valid.
    func redeem(_ ticket: String) -> String? {
        let now = self.timeline.elapsed()
        let found = self.tickets.withLock { $0.removeValue(forKey: ticket) }
        return found.flatMap { $0.end > now ? $0.identifier : nil }
    }
}
