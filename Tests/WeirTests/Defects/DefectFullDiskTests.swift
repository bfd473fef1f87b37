// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCache
import WeirCacheTestSupport
import WeirLoader
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Defects of other loaders: a full disk", .timeLimit(.minutes(1)))
struct DefectFullDiskTests {
    private static let length: Int64 = 2_000_000

    @Test(
        "defect 8: a full disk ends neither playback nor the program",
        arguments: [0, 1, 3, 10, 30]
    )
    func fullDisk(_ limit: Int) async throws {
        let folder = TemporaryDirectory()
        let files = ScriptedFiles(isSerial: true)
        let writes = Mutex(0)
        files.answer { call in
            guard call.operation == .write || call.operation == .copy else { return .goesOn }
            return writes.withLock { count in
                count += 1
                return count > limit ? .fails(ENOSPC) : .goesOn
            }
        }
        let warnings = Watched<[String]>([])
        let observer: SourceObserver = { event in
            guard case .cacheDegraded(let reason) = event else { return }
            warnings.update { $0.append(reason) }
        }
        let cache = try Cache(directory: folder.path, observer: observer, files: files)
        let source = CachedSource(
            origin: ScriptedSource(length: Self.length),
            key: ResourceKey(location: "https://a.example/a", account: "", display: "a"),
            cache: cache,
            observer: observer
        )
        let server = try await DefectScene.proxy(source)
        let expected = PatternBytes.bytes(in: 0..<Self.length)
        let whole = try await PlainClient.ask(server.port)
        #expect(whole.status == 200)
        let isRight = whole.body == expected
        #expect(isRight)
        // The player then seeks.
        let part = try await PlainClient.ask(server.port, fields: ["Range: bytes=1500000-1599999"])
        #expect(part.status == 206)
        let isPartRight = part.body.elementsEqual(expected[1_500_000..<1_600_000])
        #expect(isPartRight)
        // The clients get the bytes from memory, while a thread of the cache writes.
        try await warnings.wait { !$0.isEmpty }
        #expect(writes.withLock { $0 } > limit)
        cache.finishWrites()
        #expect(warnings.value.count == 1)
        await server.shutdown()
        await source.close()
        cache.close()
    }
}
