// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WeirConsole

@Suite("The list of events for a page")
struct ConsoleEventsTests {
    private let events = ConsoleEvents()

    private func note(_ count: Int) {
        for _ in 0..<count {
            self.events.note(
                ConsoleEvent(kind: "told", subject: nil, text: "Told.", isTrouble: false)
            )
        }
    }

    @Test("is numbered from 1, and is given from any number on, the oldest first")
    func numbers() {
        #expect(self.events.events(after: 0).isEmpty)
        self.note(5)
        #expect(self.events.events(after: 0).map(\.number) == [1, 2, 3, 4, 5])
        #expect(self.events.events(after: 3).map(\.number) == [4, 5])
        #expect(self.events.events(after: 5).isEmpty)
        #expect(self.events.events(after: -200).count == 5)
    }

    @Test("holds the last 200 events, and their numbers continue")
    func capacity() {
        self.note(450)
        #expect(self.events.events(after: 0).map(\.number) == Array(251...450))
        #expect(self.events.events(after: 449).map(\.number) == [450])
    }

    @Test("keeps the values of each event")
    func content() throws {
        let event = ConsoleEvent(
            time: Date(timeIntervalSince1970: 77),
            kind: "cacheDegraded",
            subject: "a.mp3",
            text: "The disk is full.",
            isTrouble: true
        )
        self.events.note(event)
        let kept = try #require(self.events.events(after: 0).first)
        #expect(kept.time == event.time && kept.kind == event.kind && kept.text == event.text)
        #expect(kept.subject == "a.mp3" && kept.isTrouble)
    }

    @Test("gives each event its own number, also from many threads")
    func threads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<20 {
                        self.events.note(
                            ConsoleEvent(kind: "told", subject: nil, text: "", isTrouble: false)
                        )
                    }
                }
            }
        }
        #expect(self.events.events(after: 0).map(\.number) == Array(1...160))
    }
}
