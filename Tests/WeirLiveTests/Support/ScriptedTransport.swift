// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirSource
import WeirTestKit

/// A line of which each connection does what a script says.
final class ScriptedTransport: StationTransport {
    /// A question.
    struct Call: Hashable, Sendable {
        var target: StationTarget
        var time: Duration
    }

    let display = "radio.example"
    private let timeline: Timeline
    private let script: @Sendable (_ number: Int, StationTarget) -> ScriptedAnswer
    private let log = Watched<[Call]>([])
    private let open = Watched(0)

    /// A line.
    ///
    /// - Parameters:
    ///   - clock: what its waits are counted by.
    ///   - script: what the connection of a number, from 0, to a target does.
    init(
        clock: any Clock<Duration>,
        script: @escaping @Sendable (Int, StationTarget) -> ScriptedAnswer
    ) {
        self.timeline = Timeline(clock)
        self.script = script
    }

    /// All questions so far.
    var calls: [Call] { self.log.value }
    /// How many bodies were handed out and not let go of.
    var openCount: Int { self.open.value }
    /// When was asked, in whole milliseconds.
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
