// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirConsole
import WeirHTTP
import WeirProxy
import WeirSource

@testable import WeirCommand

@Suite("The events for a page")
struct ServingEventsTests {
    private let events = ServingEvents(logging: nil, isCounted: false)

    private var listed: [ConsoleEvent] { self.events.list.events(after: 0) }

    @Test("events that every request causes are not listed")
    func silent() {
        for event in [
            SourceEvent.requested(host: "h", range: nil), .received(byteCount: 5),
            .answered(host: "h", status: 200, after: .zero),
        ] { self.events.observed(event) }
        #expect(self.listed.isEmpty)
    }

    @Test("an important event is listed with its kind, its subject and a sentence")
    func kinds() {
        let told: [(SourceEvent, String, String?, Bool)] = [
            (
                .retrying(
                    resource: "a",
                    offset: 1,
                    after: .seconds(1),
                    attempt: RequestAttempt(number: 2, limit: 6),
                    reason: "Lost."
                ),
                "retrying", "a", false
            ),
            (.linkRenewed(host: "h"), "linkRenewed", "h", false),
            (.credentialRefreshed(account: "me"), "credentialRefreshed", "me", false),
            (.changed(host: "h"), "changed", "h", false),
            (.storingForbidden(resource: "a", id: "0"), "storingForbidden", "a", false),
            (
                .refusedThoughHeld(resource: "a", id: "0", reason: "Gone.", isServed: true),
                "refusedThoughHeld", "a", true
            ),
            (.cacheDegraded(reason: "The disk is full."), "cacheDegraded", nil, true),
            (.cacheRecovered, "cacheRecovered", nil, false),
            (.cacheDamaged(byteCount: 5), "cacheDamaged", nil, true),
            (.cacheEvicted(resourceCount: 2, byteCount: 9), "cacheEvicted", nil, false),
            (.keySuspected(resource: "a", id: "0"), "keySuspected", "a", true),
        ]
        for (event, _, _, _) in told { self.events.observed(event) }
        #expect(self.listed.map(\.kind) == told.map(\.1))
        #expect(self.listed.map(\.subject) == told.map(\.2))
        #expect(self.listed.map(\.isTrouble) == told.map(\.3))
        #expect(self.listed.map(\.number) == Array(1...told.count))
        for event in self.listed {
            // The text is a sentence, not a terminal line with a label.
            #expect(!event.text.isEmpty && !event.text.hasPrefix(" "), "\(event.kind)")
            #expect(!event.text.lowercased().hasPrefix("warning:"), "\(event.kind)")
            #expect(event.text.first?.isLowercase == false, "\(event.kind): \(event.text)")
            #expect(!event.text.contains { $0.isNewline }, "\(event.kind)")
        }
    }

    @Test("the number of evicted resources has the right grammar")
    func evicted() {
        self.events.observed(.cacheEvicted(resourceCount: 1, byteCount: 1_000_000))
        self.events.observed(.cacheEvicted(resourceCount: 12, byteCount: 5))
        #expect(self.listed[0].text.hasPrefix("Removed 1 resource (1.0 MB) from the cache"))
        #expect(self.listed[1].text.hasPrefix("Removed 12 resources (5 B) from the cache"))
    }

    @Test("the reason why the cache can keep nothing is available until the cache recovers")
    func trouble() {
        #expect(self.events.cacheTrouble == nil)
        self.events.observed(.cacheDegraded(reason: "The disk is full."))
        #expect(self.events.cacheTrouble == "The disk is full.")
        self.events.observed(.cacheDamaged(byteCount: 1))
        self.events.observed(.cacheDegraded(reason: "It cannot be written to."))
        #expect(self.events.cacheTrouble == "It cannot be written to.")
        self.events.observed(.cacheRecovered)
        #expect(self.events.cacheTrouble == nil)
    }

    @Test("a failed request is listed once, with its path and the reason")
    func failures() {
        let log = ServingLog(isVerbose: false, namesPaths: false, events: self.events) { _ in }
        for _ in 0..<2 {
            log.told(
                .requestFinished(
                    ProxyRequestRecord(
                        method: "GET",
                        target: "/origin/a.mp3",
                        range: nil,
                        status: 502,
                        sentByteCount: 5,
                        duration: .seconds(1),
                        isAborted: false,
                        failure: "Nobody answers."
                    )
                )
            )
        }
        #expect(self.listed.map(\.kind) == ["requestFailed"])
        #expect(self.listed.first?.subject == "/origin/a.mp3")
        #expect(self.listed.first?.text == "Nobody answers.")
        #expect(self.listed.first?.isTrouble == true)
        #expect(log.counts == (2, 0, 0))
    }

    @Test("names of origins are passed on unchanged, without the query")
    func text() throws {
        let url = try OriginURL("https://h.example/a.mp3?token=s3cret")
        self.events.observed(.storingForbidden(resource: url.display, id: "0"))
        #expect(self.listed.first?.text.contains("s3cret") == false)
        #expect(self.listed.first?.subject == "https://h.example/a.mp3")
    }
}
