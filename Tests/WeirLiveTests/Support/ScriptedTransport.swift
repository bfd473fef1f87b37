// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirSource
import WeirTestKit

/// A transport whose connections follow a script.
final class ScriptedTransport: StationTransport {
    /// A request.
    struct Call: Hashable, Sendable {
        var target: StationTarget
        var time: Duration
    }

    let display = "radio.example"
    private let timeline: Timeline
    private let script: @Sendable (_ number: Int, StationTarget) -> ScriptedAnswer
    private let log = Watched<[Call]>([])
    private let open = Watched(0)

    /// A transport.
    ///
    /// - Parameters:
    ///   - clock: the clock for its waits.
    ///   - script: the behaviour of a connection, by its number from 0 and its target.
    init(
        clock: any Clock<Duration>,
        script: @escaping @Sendable (Int, StationTarget) -> ScriptedAnswer
    ) {
        self.timeline = Timeline(clock)
        self.script = script
    }

    /// All requests so far.
    var calls: [Call] { self.log.value }
    /// How many bodies are open.
    var openCount: Int { self.open.value }
    /// The times of the requests, in whole milliseconds.
    var times: [Int] { self.calls.map { Int($0.time / .milliseconds(1)) } }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        let call = Call(target: target, time: self.timeline.elapsed())
        let number = self.log.update { log in
            log.append(call)
            return log.count - 1
        }
        switch self.script(number, target) {
        case .fails(let error): throw error
        case .hangs:
            try await self.timeline.sleep(.seconds(1_000_000))
            throw CancellationError()
        case .broadcasts(let broadcast, let duration):
            self.open.update { $0 += 1 }
            let body = BroadcastBody(broadcast, for: duration, timeline: self.timeline) { [open] in
                open.update { $0 -= 1 }
            }
            return StationAnswer(
                fields: broadcast.titles.map { [("icy-metaint", "\($0.interval)")] } ?? [],
                mediaType: broadcast.mediaType,
                display: "radio.example",
                body: body
            )
        case .answers(let steps, let mediaType, let fields):
            self.open.update { $0 += 1 }
            let body = ScriptedBody(steps, timeline: self.timeline) { [open] in
                open.update { $0 -= 1 }
            }
            return StationAnswer(
                fields: fields,
                mediaType: mediaType,
                display: "radio.example",
                body: body
            )
        }
    }
}
