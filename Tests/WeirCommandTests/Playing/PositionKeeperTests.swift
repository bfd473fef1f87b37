// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback
import WeirTestKit

@testable import WeirCommand

@Suite("Positions are saved")
struct PositionKeeperTests {
    private let folder = TemporaryDirectory()

    private var file: PositionsFile { PositionsFile(path: self.folder.path(of: "positions.json")) }

    /// Items 0 and 1 are media, item 2 is a station.
    private func keeper() -> PositionKeeper { PositionKeeper(["a", "b", nil], file: self.file) }

    private static func snapshot(
        _ item: Int?,
        at seconds: Int,
        _ change: (inout PlayerSnapshot) -> Void = { _ in }
    ) -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.state = .playing
        snapshot.itemIndex = item
        snapshot.position = .seconds(seconds)
        snapshot.duration = .seconds(3600)
        change(&snapshot)
        return snapshot
    }

    @Test("every half minute")
    func everyHalfMinute() {
        var keeper = self.keeper()
        for second in 1...29 { keeper.note(Self.snapshot(0, at: 1000 + second)) }
        #expect(self.file.read().entries.isEmpty)
        keeper.note(Self.snapshot(0, at: 1030))
        #expect(self.file.read()["a"] == .seconds(1030))
        for second in 31...59 { keeper.note(Self.snapshot(0, at: 1000 + second)) }
        #expect(self.file.read()["a"] == .seconds(1030))
    }

    @Test("when another item plays, with the last position of the earlier one")
    func anotherItem() {
        var keeper = self.keeper()
        keeper.note(Self.snapshot(0, at: 500))
        keeper.note(Self.snapshot(1, at: 20))
        #expect(self.file.read()["a"] == .seconds(500))
        #expect(self.file.read()["b"] == nil)
        keeper.note(Self.snapshot(2, at: 0))
        #expect(self.file.read()["b"] == .seconds(20))
    }

    @Test("at the end, and removed where the item was played to its end")
    func atTheEnd() {
        var keeper = self.keeper()
        keeper.note(Self.snapshot(0, at: 700) { $0.state = .paused }, isLast: true)
        #expect(self.file.read()["a"] == .seconds(700))
        let over = Self.snapshot(0, at: 700) {
            $0.state = .stopped
            $0.stopReason = .endOfStream
        }
        keeper.note(over, isLast: true)
        #expect(self.file.read()["a"] == nil)
        let quit = Self.snapshot(0, at: 800) {
            $0.state = .stopped
            $0.stopReason = .user
        }
        keeper.note(quit, isLast: true)
        #expect(self.file.read()["a"] == .seconds(800))
    }

    @Test("neither of a station nor of an item that the queue does not have")
    func notOfStations() {
        var keeper = self.keeper()
        for snapshot in [
            Self.snapshot(2, at: 900), Self.snapshot(nil, at: 900), Self.snapshot(7, at: 900),
            Self.snapshot(0, at: 900) { $0.isLive = true },
        ] {
            keeper.note(snapshot, isLast: true)
        }
        #expect(self.file.read().entries.isEmpty)
    }
}
