// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("Remembered positions")
struct PositionTests {
    private let folder = TemporaryDirectory()
    private let hour = Duration.seconds(3600)

    @Test("a long medium resumes at its last position")
    func remembered() {
        var positions = PlayPositions()
        positions.note("a", at: .milliseconds(1_234_567), of: self.hour, now: 1)
        #expect(positions["a"] == .milliseconds(1_234_567))
        #expect(positions["b"] == nil)
    }

    @Test(
        "a medium that is short, or of unknown length, has no position",
        arguments: [
            nil, .seconds(599), .zero,
        ] as [Duration?]
    )
    func short(_ duration: Duration?) {
        var positions = PlayPositions()
        positions.note("a", at: .seconds(300), of: duration, now: 1)
        #expect(positions["a"] == nil)
    }

    @Test("a position in the last 30 s, or near the start, is removed")
    func over() {
        for position in [Duration.seconds(3571), .seconds(3600), .seconds(9), .zero] {
            var positions = PlayPositions()
            positions.note("a", at: .seconds(1000), of: self.hour, now: 1)
            positions.note("a", at: position, of: self.hour, now: 2)
            #expect(positions.entries.isEmpty, "\(position)")
        }
        var positions = PlayPositions()
        positions.note("a", at: .seconds(3569), of: self.hour, now: 1)
        #expect(positions["a"] == .seconds(3569))
    }

    @Test("the oldest of more than 500 are removed")
    func bounded() {
        var positions = PlayPositions()
        for index in 0..<600 {
            positions.note("\(index)", at: .seconds(1000), of: self.hour, now: Int64(index))
        }
        #expect(positions.entries.count == 500)
        #expect(positions["99"] == nil && positions["100"] != nil && positions["599"] != nil)
    }

    @Test("impossible numbers in the file are ignored")
    func hostile() {
        let entries: [String: PlayPositions.Entry] = [
            "a": .init(position: -1, noted: 0), "b": .init(position: 1e300, noted: 0),
            "c": .init(position: 5, noted: .max),
            String(repeating: "d", count: 99): .init(
                position: 5,
                noted: 0
            ),
        ]
        #expect(PlayPositions(entries).entries.keys.sorted() == ["c"])
    }

    @Test("are kept in a file that only its owner reads, without a medium's name")
    func file() throws {
        let path = "\(self.folder.path)/state/weir/positions.json"
        let file = PositionsFile(path: path)
        #expect(file.read() == PlayPositions())
        let digest = PlayPositions.digest(of: "file:/music/secret name.mp3")
        file.change { $0.note(digest, at: .seconds(1000), of: .seconds(3600), now: 5) }
        #expect(file.read()[digest] == .seconds(1000))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "{\"\(digest)\":{\"noted\":5,\"position\":1000}}\n")
        #expect(digest.count == 32)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("a damaged file counts as empty, and is written again")
    func damaged() throws {
        let path = "\(self.folder.path)/positions.json"
        let file = PositionsFile(path: path)
        file.change { $0.note("a", at: .seconds(1000), of: .seconds(3600), now: 5) }
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in 0..<whole.count - 2 {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(file.read() == PlayPositions(), "\(count)")
        }
        file.change { $0.note("b", at: .seconds(1000), of: .seconds(3600), now: 5) }
        #expect(file.read()["b"] == .seconds(1000))
    }

    @Test("processes that change the file at the same time lose no position")
    func together() async throws {
        let path = "\(self.folder.path)/positions.json"
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    // Each writer has its own file value, as each process has.
                    let file = PositionsFile(path: path)
                    for name in (0..<10).map({ "\(writer).\($0)" }) {
                        // If `change` does not get the lock within half a second, it gives up before it runs its
                        // closure.
                        var isNoted = false
                        for _ in 0..<100 where !isNoted {
                            file.change {
                                isNoted = true
                                $0.note(name, at: .seconds(1000), of: .seconds(3600), now: 1)
                            }
                        }
                    }
                }
            }
        }
        #expect(PositionsFile(path: path).read().entries.count == 40)
        let names = try FileManager.default.contentsOfDirectory(atPath: self.folder.path).sorted()
        #expect(names == ["positions.json", "positions.json.lock"])
    }
}
