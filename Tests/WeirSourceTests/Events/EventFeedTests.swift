// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@Suite("A feed of events")
struct EventFeedTests {
    private func collect(_ stream: AsyncStream<Int>) async -> [Int] {
        var events: [Int] = []
        for await event in stream { events.append(event) }
        return events
    }

    @Test("tells every listener what happens from when it came")
    func tellsAll() async {
        let feed = EventFeed<Int>()
        let first = feed.events()
        feed.tell(1)
        let second = feed.events()
        feed.tell(2)
        feed.finish()
        feed.tell(3)
        #expect(await self.collect(first) == [1, 2])
        #expect(await self.collect(second) == [2])
        #expect(await self.collect(feed.events()).isEmpty)
    }

    @Test("keeps the newest 256 events for a slow listener, and no more")
    func isBounded() async {
        let feed = EventFeed<Int>()
        let slow = feed.events()
        for number in 0..<10_000 { feed.tell(number) }
        feed.finish()
        let events = await self.collect(slow)
        let isNewest = events == Array(9_744..<10_000)
        #expect(isNewest)
    }

    @Test("ends with its owner, and for a listener that goes")
    func ends() async {
        var feed: EventFeed<Int>? = EventFeed()
        let stream = feed?.events()
        let gone = Task { [feed] in
            for await _ in feed?.events() ?? AsyncStream(unfolding: { nil }) {}
        }
        gone.cancel()
        await gone.value
        feed?.tell(1)
        feed = nil
        if let stream { #expect(await self.collect(stream) == [1]) }
    }
}
