// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive

@testable import WeirCommand

@Suite("Events of a station")
struct StationWatchTests {
    private static let loss = StationError(.ended, "The server ended the connection.")
    private static let other = StationError(.unreachable, "Nobody answers.")

    /// The kinds and texts of the events; `!` marks trouble.
    private static func events(_ statuses: [StationStatus]) -> [String] {
        var watch = StationWatch()
        return statuses.compactMap { watch.event(after: $0) }.map {
            "\($0.kind)\($0.isTrouble ? "!" : ""): \($0.text)"
        }
    }

    private static func waiting(_ attempt: Int, _ loss: StationError = loss) -> StationStatus {
        StationStatus(phase: .waiting(.seconds(1)), reason: loss, attempt: attempt)
    }

    @Test("a station that connects and plays causes no event")
    func usual() {
        #expect(
            Self.events([StationStatus(), .init(phase: .connecting), .init(phase: .live)]).isEmpty
        )
    }

    @Test("a loss is reported once, and so is the return")
    func loss() {
        let statuses: [StationStatus] = [
            .init(phase: .live), .init(phase: .connecting, reason: Self.loss), Self.waiting(1),
            .init(phase: .connecting, reason: Self.loss, attempt: 1), .init(phase: .live),
            .init(phase: .live, reconnects: 1),
        ]
        #expect(
            Self.events(statuses) == [
                "stationLost: The server ended the connection.",
                "stationBack: The station plays again.",
            ]
        )
    }

    @Test(
        "a longer absence is trouble, reported once with its first reason, and again after a return"
    )
    func trouble() {
        let away = [Self.waiting(0), Self.waiting(1), Self.waiting(2, Self.other), Self.waiting(3)]
        let told = [
            "stationLost: The server ended the connection.", "stationLost!: Nobody answers.",
        ]
        let back = StationStatus(phase: .live)
        #expect(Self.events(away) == told)
        #expect(
            Self.events(away + [back] + away) == told + ["stationBack: The station plays again."]
                + told
        )
    }

    @Test("without a listener, the next sound is not reported as a return")
    func idle() {
        #expect(
            Self.events([Self.waiting(0), StationStatus(), .init(phase: .live)]).map {
                $0.prefix(11)
            }
                == ["stationLost"]
        )
    }

    @Test("the end of a station is trouble")
    func end() {
        #expect(
            Self.events([StationStatus(phase: .ended, reason: Self.other), .init(phase: .ended)])
                == ["stationEnded!: Nobody answers."]
        )
    }
}
