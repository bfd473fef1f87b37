// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirCache
import WeirTestServers

@Suite("Defects of other loaders: eviction", .timeLimit(.minutes(1)))
struct DefectEvictionTests {
    @Test("defect 1: eviction goes by last use, not by the order of insertion")
    func lastUse() async throws {
        let file = DefectFile(length: 100_000)
        let scene = try await DefectScene(file)
        let library = try scene.library()
        for name in ["a", "b", "c", "a"] {
            let media = try library.media(scene.url("/\(name).mp3"))
            let isRight = try await DefectScene.isRight(media, 0..<100_000, of: file.bytes)
            #expect(isRight)
            // The cache never evicts a medium that is in use.
            await media.close()
        }
        #expect(scene.origin.requests.count == 3)
        func kept() async throws -> [String] {
            try await library.resources().map { String($0.display.suffix(5)) }
        }
        #expect(try await kept() == ["a.mp3", "c.mp3", "b.mp3"])
        library.cacheLimits.byteCount = 200_000
        #expect(try await kept() == ["a.mp3", "c.mp3"])
        library.cacheLimits.byteCount = 100_000
        #expect(try await kept() == ["a.mp3"])
        await library.close()
        await scene.end()
    }

    @Test("defect 1: the order of use survives the end of the program")
    func lastUseAfterRestart() async throws {
        let file = DefectFile(length: 100_000)
        let scene = try await DefectScene(file)
        let first = try scene.library()
        for name in ["a", "b", "c", "a"] {
            let media = try first.media(scene.url("/\(name).mp3"))
            _ = try await DefectScene.isRight(media, 0..<100_000, of: file.bytes)
            await media.close()
        }
        await first.close()
        let second = try scene.library { $0.cacheLimits.byteCount = 150_000 }
        let kept = try await second.resources().map { String($0.display.suffix(5)) }
        #expect(kept == ["a.mp3"])
        await second.close()
        await scene.end()
    }
}
