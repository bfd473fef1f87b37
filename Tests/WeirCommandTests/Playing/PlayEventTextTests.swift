// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirLive
import WeirPlayback
import WeirSource

@testable import WeirCommand

@Suite("Lines of the player")
struct PlayEventTextTests {
    private func snapshot(_ state: PlayerState, at seconds: Int) -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.state = state
        snapshot.position = .seconds(seconds)
        snapshot.itemNames = ["a", "b"]
        snapshot.itemIndex = 0
        return snapshot
    }

    /// The lines for these events, in order; each event comes with the player's position at that
    /// time.
    private func lines(_ events: [(PlayerEvent, Int)], isVerbose: Bool = false) -> [String] {
        var plain = PlainLines(isVerbose: isVerbose)
        return events.compactMap { event, seconds in
            var snapshot = self.snapshot(.playing, at: seconds)
            if case .stateChanged(let state, _, _) = event { snapshot.state = state }
            snapshot.buffered = .seconds(1)
            snapshot.bufferTarget = .seconds(2)
            return plain.line(event, snapshot)
        }
    }

    @Test("a file that plays, runs dry, is paused and ends")
    func file() {
        let lines = self.lines([
            (.itemStarted(index: 0, name: "a.mp3"), 0),
            (.stateChanged(.starting, .none, nil), 0),
            (.stateChanged(.waitingForData, .none, nil), 0),
            (.stateChanged(.playing, .none, nil), 0),
            (.titleChanged(title: "T\u{1B}", artist: "A", album: nil, at: .zero, sample: 0), 0),
            (.titleChanged(title: "T\u{1B}", artist: "A", album: "B", at: .zero, sample: 0), 0),
            (.stateChanged(.buffering, .none, nil), 65),
            (.stateChanged(.playing, .none, nil), 65),
            (.stateChanged(.paused, .user, nil), 70),
            (.stateChanged(.stopping, .endOfStream, nil), 90),
            (.stateChanged(.stopped, .endOfStream, nil), 90),
        ])
        #expect(
            lines == [
                "item 1 of 2: a.mp3", "starting", "waiting for data", "0:00 playing",
                "0:00 title: T? – A", "1:05 buffer empty: buffering · 1 s of 2 s", "1:05 playing",
                "1:10 paused", "ended",
            ]
        )
    }

    @Test("a missing device is shown once for each reason")
    func deviceAway() {
        let away = PlayerFailure(.sink, "The sound waits for its device. No server answers.")
        let lines = self.lines([
            (.stateChanged(.playing, .none, nil), 3),
            (.stateChanged(.starting, .temporary, nil), 3),
            (.stateChanged(.waitingForQueueToStart, .temporary, nil), 3),
            (.stateChanged(.waitingForQueueToStart, .temporary, away), 3),
            (.stateChanged(.playing, .none, nil), 3),
        ])
        #expect(
            lines == [
                "0:03 playing", "starting", "buffering · 1 s of 2 s",
                "waiting · the sound waits for its device. No server answers", "0:03 playing",
            ]
        )
    }

    @Test("a station that is lost and found again, without a repeated line")
    func station() {
        let loss = StationError(.ended, "The server closed the connection.")
        let waiting = StationStatus(phase: .waiting(.seconds(2)), reason: loss, attempt: 1)
        let lines = self.lines([
            (.stationChanged(StationStatus(phase: .connecting)), 0),
            (.stationChanged(StationStatus(phase: .live)), 0),
            (.stationChanged(StationStatus(phase: .live)), 1),
            (.stationChanged(waiting), 60), (.stationChanged(waiting), 61),
            (.stationChanged(StationStatus(phase: .connecting, reason: loss, attempt: 2)), 62),
            (.stationChanged(StationStatus(phase: .live, reconnects: 1)), 63),
        ])
        #expect(
            lines == [
                "connecting", "connected",
                "reconnecting in 2 s: the server closed the connection",
                "reconnecting: the server closed the connection", "connected",
            ]
        )
    }

    @Test("a failure has no line, because the program's last line reports it")
    func failure() {
        let failure = PlayerFailure(.source, "Nobody answers.")
        #expect(self.lines([(.stateChanged(.stopped, .error, failure), 5)]) == [])
    }

    @Test("JSON has the documented fields, and no field without a value")
    func json() throws {
        func text(_ event: PlayerEvent) throws -> String {
            try Output.jsonLine(JSON(event, self.snapshot(.playing, at: 5)))
        }
        #expect(
            try text(
                .titleChanged(
                    title: "T",
                    artist: nil,
                    album: "A",
                    at: .milliseconds(1500),
                    sample: 66150
                )
            )
                == #"{"album":"A","event":"title","position":1.5,"positionPrecision":"exact","sample":66150,"title":"T"}"#
        )
        #expect(
            try text(.stateChanged(.playing, .none, nil))
                == #"{"bufferTarget":1,"buffered":0,"event":"state","index":0,"position":5,"positionPrecision":"exact","reason":"none","state":"playing","underruns":0}"#
        )
        #expect(
            try text(.itemStarted(index: 1, name: "b"))
                == #"{"count":2,"event":"item","index":1,"item":"b"}"#
        )
        let loss = StationError(.silent, "Nothing came for 10 s.")
        #expect(
            try text(
                .stationChanged(
                    StationStatus(phase: .waiting(.seconds(4)), reason: loss, attempt: 3)
                )
            )
                == #"{"attempt":3,"delay":4,"event":"station","message":"Nothing came for 10 s.","reason":"silent","reconnects":0,"state":"waiting"}"#
        )
        #expect(
            try Output.jsonLine(
                JSON(.ended(file: URL(filePath: "/r/a.mp3"), title: "a", byteCount: 5))
            )
                == #"{"bytes":5,"event":"recording","file":"/r/a.mp3","state":"ended","title":"a"}"#
        )
        #expect(
            try Output.jsonLine(JSON(note: "x")) == #"{"event":"note","message":"x"}"#
        )
    }

    @Test(
        "the end of the program has the kind of the failure",
        arguments: [
            (PlayerFailure(.source, "", cause: SourceError(.unreachable, "")), 4),
            (PlayerFailure(.source, "", cause: SourceError(.notFound, "")), 3),
            (PlayerFailure(.source, "", cause: SourceError(.notMedia, "")), 6),
            (PlayerFailure(.source, "", cause: StationError(.unreachable, "")), 4),
            (PlayerFailure(.source, "", cause: StationError(.refused, "")), 3),
            (PlayerFailure(.source, "", cause: StationError(.notAudio, "")), 6),
            (PlayerFailure(.source, ""), 4), (PlayerFailure(.notAudio, ""), 6),
            (PlayerFailure(.unsupported, ""), 6), (PlayerFailure(.undecodable, ""), 6),
            (PlayerFailure(.sink, "", cause: AudioError(.failed, "")), 1),
        ] as [(PlayerFailure, Int32)]
    )
    func statuses(_ failure: PlayerFailure, _ status: Int32) {
        #expect(ExitStatus(for: failure).rawValue == status)
        #expect(ExitStatus(for: CommandError(failure)).rawValue == status)
    }
}
