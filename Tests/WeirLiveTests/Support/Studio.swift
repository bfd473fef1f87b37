// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirSource
import WeirTestKit

/// A station over a scripted transport, in virtual time.
struct Studio: Sendable {
    let time: VirtualTime
    let transport: ScriptedTransport
    let station: Station
    let timeline: Timeline

    /// A scene with a station's options and the script of its connections.
    ///
    /// - Parameters:
    ///   - options: changes the station's options.
    ///   - script: the behaviour of each connection.
    /// - Returns: a scene to run.
    static func scene(
        options: @Sendable (inout StationOptions) -> Void = { _ in },
        script: @escaping @Sendable (Int, StationTarget) -> ScriptedAnswer
    ) -> Scene {
        let time = VirtualTime()
        var made = StationOptions(burst: .zero, clock: time.clock, executor: time, seed: 7)
        made.policy.jitter = 0
        options(&made)
        return Scene(time: time, options: made, script: script)
    }

    /// The options and the script that a test starts with.
    struct Scene: Sendable {
        let time: VirtualTime
        let options: StationOptions
        let script: @Sendable (Int, StationTarget) -> ScriptedAnswer

        /// Runs a test in virtual time, and closes the station.
        func run(_ test: @escaping @Sendable (Studio) async throws -> Void) async throws {
            try await self.time.run {
                let transport = ScriptedTransport(clock: self.time.clock, script: self.script)
                let studio = Studio(
                    time: self.time,
                    transport: transport,
                    station: Station(name: "Radio", transport: transport, options: self.options),
                    timeline: Timeline(self.time.clock)
                )
                try await test(studio)
                await studio.station.close()
            }
        }
    }

    /// Runs a test in virtual time, as ``Scene/run(_:)`` does.
    static func run(
        options: @Sendable (inout StationOptions) -> Void = { _ in },
        script: @escaping @Sendable (Int, StationTarget) -> ScriptedAnswer,
        _ test: @escaping @Sendable (Studio) async throws -> Void
    ) async throws {
        try await Self.scene(options: options, script: script).run(test)
    }

    /// Lets time pass.
    func pass(_ duration: Duration) async throws {
        try await self.timeline.sleep(duration)
    }

    /// Begins to listen, in a task of its own that ends with the listener.
    func hear(from start: StationStart = .live, keepsBytes: Bool = true) -> Hearing {
        let hearing = Hearing(self.station.listen(from: start), keepsBytes: keepsBytes)
        let elapsed = self.timeline.elapsed
        Task(executorPreference: self.time) { await hearing.run { elapsed() } }
        return hearing
    }

    /// How much of a broadcast a listener missed, by the frames' numbers; `nil` if the numbers do not increase.
    static func missed(_ numbers: [Int]) -> Duration? {
        var missed = 0
        for (before, after) in zip(numbers, numbers.dropFirst()) {
            guard after > before else { return nil }
            missed += after - before - 1
        }
        return NumberedFrames.duration * missed
    }
}
