// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// An event, for the page's list.
package struct ConsoleEvent: Codable, Hashable, Sendable {
    /// The number of the event, counted from 1 in each run of the program.
    package fileprivate(set) var number = 0
    package var time: Date
    /// One word.
    package var kind: String
    /// The thing that the event happened to.
    @Nullable package var subject: String?
    /// One sentence.
    package var text: String
    /// Whether a person may have to do something.
    package var isTrouble: Bool

    /// Describes an event; it gets its number when it is noted.
    package init(
        time: Date = Date(),
        kind: String,
        subject: String?,
        text: String,
        isTrouble: Bool
    ) {
        self.time = time
        self.kind = kind
        self.subject = subject
        self.text = text
        self.isTrouble = isTrouble
    }
}

/// The last events, numbered; kept whether or not a page is open.
package final class ConsoleEvents: Sendable {
    /// The most events that are kept.
    static let capacity = 200

    private let state = Mutex<(last: Int, events: [ConsoleEvent])>((0, []))

    /// Makes an empty list.
    package init() {}

    /// Keeps an event, and drops the oldest one if there are too many.
    package func note(_ event: ConsoleEvent) {
        self.state.withLock { state in
            state.last += 1
            var event = event
            event.number = state.last
            if state.events.count == Self.capacity { state.events.removeFirst() }
            state.events.append(event)
        }
    }

    /// The events after a number, the oldest first.
    package func events(after number: Int) -> [ConsoleEvent] {
        self.state.withLock { state in state.events.filter { $0.number > number } }
    }
}
