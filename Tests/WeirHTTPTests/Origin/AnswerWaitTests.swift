// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("The response time of an origin")
struct AnswerWaitTests {
    /// The waits that the observer receives, in order.
    private final class Waits: Sendable {
        let all = Watched<[Duration?]>([])

        var observer: SourceObserver {
            { event in
                if case .answered(_, _, let wait) = event { self.all.update { $0.append(wait) } }
            }
        }
    }

    @Test("each response is reported with the time from its own request to its head")
    func waits() async throws {
        let clock = ManualClock()
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, number in
            clock.advance(by: .milliseconds(number == 0 ? 40 : 7))
            return number == 0
                ? .answer(302, [("Location", "https://other.test/song.mp3")])
                : file.reply(to: request)
        }
        let waits = Waits()
        let origin = HTTPOrigin(
            url: try OriginURL("https://media.test/song.mp3"),
            options: plainOptions,
            transport: transport,
            clock: clock,
            observer: waits.observer
        )
        _ = try await origin.read(.span(0..<100)).collect()
        #expect(waits.all.value == [.milliseconds(40), .milliseconds(7)])
    }

    @Test("a refusal counts as a response, and a failed request does not")
    func refusals() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { _, number in
            clock.advance(by: .milliseconds(5))
            return number == 0
                ? .fail(HTTPTransportError(.connectionLost, "reset")) : .answer(404)
        }
        let waits = Waits()
        let origin = HTTPOrigin(
            url: try OriginURL("https://media.test/song.mp3"),
            options: plainOptions,
            transport: transport,
            clock: clock,
            observer: waits.observer
        )
        let reader = Task { await sourceError { _ = try await origin.read(.span(0..<100)) } }
        try await clock.pass(.milliseconds(250))
        #expect(await reader.value?.code == .notFound)
        #expect(waits.all.value == [.milliseconds(5)])
    }
}
