// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirLive
import WeirPlayback
import WeirTestKit

@testable import WeirCommand

@Suite("The player's screen")
struct ScreenTests {
    /// A file that plays.
    private static func file() -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.state = .playing
        snapshot.itemNames = ["05 Teardrop.flac", "06 Inertia Creeps.flac"]
        snapshot.itemIndex = 0
        snapshot.position = .seconds(83)
        snapshot.duration = .seconds(330)
        snapshot.durationCertainty = .exact
        snapshot.buffered = .seconds(30)
        snapshot.heldFractions = [0...0.6, 0.9...1]
        snapshot.title = "Teardrop"
        snapshot.artist = "Massive Attack"
        snapshot.album = "Mezzanine"
        snapshot.level = AudioLevel(peaks: [0.7, 0.35], powers: [0.25, 0.1])
        snapshot.volume = 0.8
        return snapshot
    }

    /// A station that plays.
    private static func radio() -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.state = .playing
        snapshot.itemNames = ["groove"]
        snapshot.itemIndex = 0
        snapshot.isLive = true
        snapshot.position = .seconds(754)
        snapshot.buffered = .seconds(2)
        snapshot.title = "Blue Monday"
        snapshot.artist = "New Order"
        snapshot.album = "Groove FM"
        snapshot.level = AudioLevel(peaks: [1.2, 0.9], powers: [0.4, 0.3])
        snapshot.station = StationStatus(phase: .live)
        snapshot.behindLive = .seconds(2)
        snapshot.rewindable = .seconds(750)
        return snapshot
    }

    private static func changed(
        _ snapshot: PlayerSnapshot,
        _ change: (inout PlayerSnapshot) -> Void
    ) -> PlayerSnapshot {
        var snapshot = snapshot
        change(&snapshot)
        return snapshot
    }

    private static func waiting(_ snapshot: PlayerSnapshot) -> PlayerSnapshot {
        var snapshot = snapshot
        snapshot.station = StationStatus(
            phase: .waiting(.seconds(4)),
            reason: StationError(.ended, "The server closed the connection."),
            attempt: 3,
            reconnects: 1
        )
        return snapshot
    }

    private func screen(_ view: PlayerView, columns: Int = 80) -> [String] {
        let lines = Screen(columns: columns).lines(view)
        for line in lines { #expect(line.width < columns, "\(line.plain)") }
        return lines.map(\.plain)
    }

    private func screen(
        _ snapshot: PlayerSnapshot,
        columns: Int = 80,
        change: (inout PlayerView) -> Void = { _ in }
    ) -> String {
        var view = PlayerView(snapshot)
        change(&view)
        return self.screen(view, columns: columns).joined(separator: "\n")
    }

    @Test("a file that plays: played, buffered, cached and missing parts look different")
    func playing() {
        let screen = self.screen(Self.file())
        #expect(
            screen == """
                ▶ playing                                                                1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━━━━━━━━━━━●═════──────────────────····················─────── 5:30
                  L ■■■■■■■■■■■■■■■■■■···|··  R ■■■■■■■■■■■■■■····|·····            volume 80 %
                  next: 06 Inertia Creeps.flac
                  space pause  ←→ 10 s  ↑↓ volume  m mute  n p other  q quit  ? help
                """
        )
    }

    @Test("an approximate position has a sign before it, and a station's has none")
    func approximate() {
        let file = Self.changed(Self.file()) { $0.positionPrecision = .approximate }
        #expect(self.screen(file).contains("\n  ~1:23 ━"))
        let radio = Self.changed(Self.radio()) { $0.positionPrecision = .approximate }
        #expect(!self.screen(radio).contains("~"))
    }

    @Test("a file that is paused, and muted")
    func paused() {
        let screen = self.screen(
            Self.changed(Self.file()) {
                $0.state = .paused
                $0.isMuted = true
            }
        )
        #expect(
            screen == """
                ‖ paused                                                                 1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━━━━━━━━━━━●═════──────────────────····················─────── 5:30
                  L ························  R ························                  muted
                  next: 06 Inertia Creeps.flac
                  space resume  ←→ 10 s  ↑↓ volume  m mute  n p other  q quit  ? help
                """
        )
    }

    @Test("a file that buffers shows its amount and its target")
    func buffering() {
        let screen = self.screen(
            Self.changed(Self.file()) {
                $0.state = .buffering
                $0.buffered = .seconds(3)
                $0.bufferTarget = .seconds(4)
            }
        )
        #expect(
            screen == """
                … buffering · 3 s of 4 s                                                 1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━━━━━━━━━━━●───────────────────────····················─────── 5:30
                  L ························  R ························            volume 80 %
                  next: 06 Inertia Creeps.flac
                  space pause  ←→ 10 s  ↑↓ volume  m mute  n p other  q quit  ? help
                """
        )
    }

    @Test("a station that plays live")
    func live() {
        let screen = self.screen(Self.radio())
        #expect(
            screen == """
                ▶ playing
                  Blue Monday – New Order · Groove FM
                  12:34 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━● live
                  L ■■■■■■■■■■■■■■■■■■■■···|  R ■■■■■■■■■■■■■■■■■■■····|           volume 100 %
                  space pause  ←→ 10 s  ↑↓ volume  m mute  l live  r record  q quit  ? help
                """
        )
    }

    @Test("a station behind live, and recorded")
    func behindLive() {
        let screen = self.screen(
            Self.changed(Self.radio()) {
                $0.behindLive = .seconds(275)
                $0.buffered = .seconds(20)
            }
        ) { $0.recording = "a.mp3" }
        #expect(
            screen == """
                ▶ playing                                                           ● recording
                  Blue Monday – New Order · Groove FM
                  12:34 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━●─────────────────── −4:35 behind live
                  L ■■■■■■■■■■■■■■■■■■■■···|  R ■■■■■■■■■■■■■■■■■■■····|           volume 100 %
                  space pause  ←→ 10 s  ↑↓ volume  m mute  l live  r stop  q quit  ? help
                """
        )
    }

    @Test("a station that plays on during a reconnection")
    func reconnecting() {
        let screen = self.screen(Self.waiting(Self.radio())) { $0.stationWait = .seconds(3) }
        #expect(
            screen == """
                ▶ playing · reconnecting in 3 s: the server closed the connection
                  Blue Monday – New Order · Groove FM
                  12:34 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━● not connected
                  L ■■■■■■■■■■■■■■■■■■■■···|  R ■■■■■■■■■■■■■■■■■■■····|           volume 100 %
                  space pause  ←→ 10 s  ↑↓ volume  m mute  l live  r record  q quit  ? help
                """
        )
    }

    @Test("a station that ran out of sound and waits")
    func dry() {
        let screen = self.screen(
            Self.changed(Self.waiting(Self.radio())) {
                $0.state = .buffering
                $0.buffered = .zero
                $0.bufferTarget = .seconds(2)
            }
        )
        #expect(
            screen == """
                … buffering
                  Blue Monday – New Order · Groove FM
                  12:34 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━● not connected
                  L ························  R ························           volume 100 %
                  0 s of 2 s · reconnecting in 4 s: the server closed the connection
                  space pause  ←→ 10 s  ↑↓ volume  m mute  l live  r record  q quit  ? help
                """
        )
    }

    @Test("an item that ended with an error shows the reason")
    func failed() {
        let screen = self.screen(
            Self.changed(Self.file()) {
                $0.state = .stopped
                $0.stopReason = .error
                $0.failure = PlayerFailure(
                    .source,
                    "cloud.example does not answer; check the connection."
                )
                $0.level = AudioLevel()
            }
        )
        #expect(
            screen == """
                ! stopped · cloud.example does not answer; check the connection.         1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━━━━━━━━━━━●═════──────────────────····················─────── 5:30
                  L ························  R ························            volume 80 %
                  next: 06 Inertia Creeps.flac
                  space pause  ←→ 10 s  ↑↓ volume  m mute  n p other  q quit  ? help
                """
        )
    }

    @Test(
        "a part that a seek skipped is not drawn as played, and the format is beside the title"
    )
    func seeked() {
        let screen = self.screen(
            Self.changed(Self.file()) {
                $0.position = .seconds(300)
                $0.itemIndex = 1
                $0.format = AudioFormat(
                    container: .flac,
                    codec: .flac,
                    sampleRate: 44_100,
                    channelCount: 2
                )
                $0.pcm = PCMFormat(sampleRate: 44_100, channelCount: 2)
            }
        )
        #expect(
            screen == """
                ▶ playing                                                                2 of 2
                  Teardrop – Massive Attack · Mezzanine                           flac 44.1 kHz
                  5:00 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━····················●══════ 5:30
                  L ■■■■■■■■■■■■■■■■■■···|··  R ■■■■■■■■■■■■■■····|·····            volume 80 %
                  space pause  ←→ 10 s  ↑↓ volume  m mute  n p other  q quit  ? help
                """
        )
    }

    @Test("a sentence that is too long is shown whole below")
    func sentences() {
        let sentence = String(repeating: "word ", count: 30) + "end."
        let screen = self.screen(Self.file()) { $0.notice = sentence }
        let lines = screen.split(separator: "\n").dropFirst(5).dropLast()
        #expect(lines.map { $0.drop { $0 == " " } }.joined(separator: " ") == sentence)
        #expect(lines.allSatisfy { $0.count <= 79 && $0.hasPrefix("  ") })
    }

    @Test("40 columns are enough for a file")
    func narrowFile() {
        let screen = self.screen(Self.file(), columns: 40)
        #expect(
            screen == """
                ▶ playing                        1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━●══───────········─── 5:30
                  L ■■■■■■■|·  R ■■■■■·|··  volume 80 %
                  next: 06 Inertia Creeps.flac
                  space pause  ←→ 10 s  q quit  ? help
                """
        )
    }

    @Test("40 columns are enough for a station")
    func narrowStation() {
        let screen = self.screen(Self.radio(), columns: 40)
        #expect(
            screen == """
                ▶ playing
                  Blue Monday – New Order · Groove FM
                  12:34 ━━━━━━━━━━━━━━━━━━━━━━━━━● live
                  L ■■■■■■■|  R ■■■■■■·|   volume 100 %
                  space pause  r record  q quit  ? help
                """
        )
    }

    @Test("wide letters take two cells, and control characters in titles move nothing")
    func wide() {
        let screen = self.screen(
            Self.changed(Self.file()) {
                $0.title = "東京は夜の七時\u{1B}[2J"
                $0.artist = "ピチカート・ファイヴ"
                $0.duration = nil
                $0.heldFractions = []
            },
            columns: 60
        )
        #expect(
            screen == """
                ▶ playing                                            1 of 2
                  東京は夜の七時?[2J – ピチカート・ファイヴ · Mezzanine
                  1:23 ●················································· ?
                  L ■■■■■■■■■■■■■■···|·  R ■■■■■■■■■■■···|····  volume 80 %
                  next: 06 Inertia Creeps.flac
                  space pause  ←→ 10 s  ↑↓ volume  q quit  ? help
                """
        )
    }

    @Test("help explains the keys and the bar")
    func help() {
        let screen = self.screen(Self.file()) { $0.showsHelp = true }
        #expect(
            screen == """
                ▶ playing                                                                1 of 2
                  Teardrop – Massive Attack · Mezzanine
                  1:23 ━━━━━━━━━━━━━━━━●═════──────────────────····················─────── 5:30
                  L ■■■■■■■■■■■■■■■■■■···|··  R ■■■■■■■■■■■■■■····|·····            volume 80 %
                  space  pause, resume        n p    next, previous
                  ← →    10 s back, forward   l      go to the live end
                  ↑ ↓    louder, softer       r      record a station, or stop it
                  m      mute                 q      quit
                  bar    ━ played  ═ buffered  ─ in the cache  · not fetched
                """
        )
    }

    @Test("a starting item, with a notice")
    func notice() {
        let screen = self.screen(
            Self.changed(PlayerSnapshot()) {
                $0.state = .starting
                $0.itemNames = ["a.mp3"]
                $0.itemIndex = 0
            }
        ) { $0.notice = "warning: The disk is full." }
        #expect(
            screen == """
                … starting
                  a.mp3
                  0:00 ●····································································· ?
                  L ························  R ························           volume 100 %
                  warning: The disk is full.
                  space pause  ←→ 10 s  ↑↓ volume  m mute  q quit  ? help
                """
        )
    }

    @Test("a paused station is not called live, however little it is behind")
    func pausedStation() {
        for (behind, end) in [
            (1.0, "−0:01 behind live"), (6, "−0:06 behind live"), (0.4, "paused"),
        ] {
            let paused = Self.changed(Self.radio()) {
                $0.state = .paused
                $0.behindLive = .seconds(behind)
            }
            let bar = self.screen(PlayerView(paused))[2]
            #expect(bar.hasSuffix(" \(end)"), "\(bar)")
        }
        let joining = Self.changed(Self.radio()) {
            $0.state = .paused
            $0.behindLive = nil
        }
        #expect(self.screen(PlayerView(joining))[2].hasSuffix(" paused"))
        let lost = Self.changed(Self.waiting(joining)) { $0.state = .paused }
        #expect(self.screen(PlayerView(lost))[2].hasSuffix(" not connected"))
    }

    @Test("no notice hides the keys, in a window of any size", arguments: 0..<100)
    func keysStay(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let snapshots = [Self.file(), Self.radio(), Self.waiting(Self.radio())]
        for snapshot in snapshots {
            var view = PlayerView(snapshot)
            view.notice = String(
                repeating: "word ",
                count: .random(in: 0...80, using: &generator)
            )
            let columns = Int.random(in: 32...120, using: &generator)
            let rows = Int.random(in: 5...30, using: &generator)
            let lines = Screen(columns: columns, rows: rows).lines(view)
            #expect(lines.count < rows, "\(columns) × \(rows), seed \(seed)")
            #expect(
                lines.last?.plain.contains("? help") == true,
                "\(columns) × \(rows), seed \(seed): \(lines.map(\.plain))"
            )
        }
    }

    @Test("without colour only text is drawn, and with colour every style is ended")
    func colours() {
        for snapshot in [Self.file(), Self.radio(), Self.waiting(Self.radio())] {
            for line in Screen(columns: 80).lines(PlayerView(snapshot)) {
                #expect(!line.plain.contains("\u{1B}"))
                let parts = line.coloured.components(separatedBy: "\u{1B}[")
                #expect(parts.dropFirst().count % 2 == 0)
                #expect(parts.dropFirst().allSatisfy { $0.contains("m") })
            }
        }
        let state = Screen(columns: 80).lines(PlayerView(Self.file()))[0]
        #expect(state.coloured.hasPrefix("\u{1B}[32m▶ \u{1B}[0m"))
    }

    @Test("no width and no number makes a line too wide, or traps")
    func extremes() {
        var snapshot = Self.file()
        snapshot.position = .seconds(Int64.max / 4)
        snapshot.buffered = .seconds(-5)
        snapshot.heldFractions = [-1...2, 0.5...0.5]
        snapshot.level = AudioLevel(peaks: [.nan, .infinity, -1], powers: [.nan, 2, 0])
        snapshot.volume = 7
        snapshot.itemIndex = 9
        for columns in [0, 1, 20, 21, 25, 33, 79, 5000] {
            for duration in [nil, .zero, .nanoseconds(1), .seconds(Int64.max / 4)] as [Duration?] {
                snapshot.duration = duration
                for line in Screen(columns: columns).lines(PlayerView(snapshot)) {
                    #expect(line.width <= max(20, columns))
                }
            }
        }
    }
}
