// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A listener that leaves a station")
struct StationLeavingTests {
    /// A transport whose first request takes 20 s, even if it is cancelled.
    private final class StubbornTransport: StationTransport {
        let display = "radio.example"
        let timeline: Timeline
        let executor: VirtualTime
        let open = Watched(0)
        let calls = Watched(0)

        init(_ time: VirtualTime) {
            self.timeline = Timeline(time.clock)
            self.executor = time
        }

        func connect(to target: StationTarget) async throws -> StationAnswer {
            let isFirst = self.calls.update { calls in
                calls += 1
                return calls == 1
            }
            self.open.update { $0 += 1 }
            defer { self.open.update { $0 -= 1 } }
            if isFirst {
                // An unstructured task does not see the cancellation; it ends with its sleep.
                await Task(executorPreference: self.executor) { [timeline] in
                    try? await timeline.sleep(.seconds(20))
                }.value
            } else {
                try await self.timeline.sleep(.seconds(1000))
            }
            throw SourceError(.unreachable, "Nobody there.")
        }
    }

    @Test("by closing it also waits for the connections that were left before")
    func closingWaitsForAll() async throws {
        let time = VirtualTime()
        try await time.run {
            let transport = StubbornTransport(time)
            let timeline = Timeline(time.clock)
            let station = Station(
                name: "Radio",
                transport: transport,
                options: StationOptions(clock: time.clock, executor: time, seed: 1)
            )
            let listener = station.listen()
            // No response for 15 s: the station makes a second request.
            try await timeline.sleep(.seconds(16))
            #expect(transport.calls.value == 2)
            #expect(transport.open.value == 2)
            await station.close()
            #expect(transport.open.value == 0)
            #expect(timeline.elapsed() == .seconds(20))
            listener.cancel()
        }
    }

    @Test("by cancelling its task gets nothing more, although much sound is kept")
    func cancelledTask() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: nil)]) }).run { studio in
            let live = studio.hear()
            try await studio.pass(.seconds(60))
            let listener = studio.station.listen(from: .behind(.seconds(50)))
            let heard = Watched(0)
            let task = Task(executorPreference: studio.time) {
                while let piece = try await listener.next() {
                    guard case .audio = piece else { continue }
                    heard.update { $0 += 1 }
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(heard.value == 1)
            listener.cancel()
            live.listener.cancel()
        }
    }

    @Test("hears on when the disk cannot be used, and the station has a message about it")
    func timeShiftTrouble() async throws {
        try await Studio.scene(
            options: { $0.folder = URL(filePath: "/dev/null/nowhere") },
            script: { _, _ in .answers([.radio(for: nil, frames: 100)]) }
        ).run { studio in
            let hearing = studio.hear(keepsBytes: false)
            try await studio.pass(.seconds(60))
            #expect(studio.station.timeShiftTrouble == nil)
            // At 4 kB a second, the station receives more than it keeps in memory.
            try await studio.pass(.seconds(400))
            #expect(studio.station.timeShiftTrouble?.contains("/dev/null/nowhere") == true)
            #expect(studio.station.status.phase == .live)
            #expect(hearing.causes == ["joined"])
            #expect(hearing.state.value.byteCount > 1_700_000)
            #expect(hearing.listener.rewindable > .seconds(200))
        }
    }
}
