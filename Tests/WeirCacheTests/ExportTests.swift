// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Exporting and verifying")
struct ExportTests {
    private static let key = CacheBench.key().identifier

    @Test(
        "a whole resource becomes a plain file, by every way of copying",
        arguments: [nil, 18, 22, 38, 95] as [CInt?]
    )
    func exports(refusal: CInt?) throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<3_000_000)
        if let refusal { bench.files.fail(.copy, "", with: refusal) }
        let path = bench.directory.path(of: "out.mp3")
        #expect(try bench.cache.export(identifier: Self.key, to: path) == 3_000_000)
        #expect(
            try Data(contentsOf: URL(filePath: path)) == Data(PatternBytes.bytes(in: 0..<3_000_000))
        )
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.directory.path).sorted() == [
                "cache", "out.mp3",
            ]
        )
        // The second export replaces the existing file.
        #expect(try bench.cache.export(identifier: Self.key, to: path) == 3_000_000)
    }

    @Test("an empty resource becomes an empty file")
    func empty() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<0, length: 0)
        let path = bench.directory.path(of: "out")
        #expect(try bench.cache.export(identifier: Self.key, to: path) == 0)
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    }

    @Test("a partly held or damaged resource, or a failure, leaves no file")
    func refuses() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<100_000, length: 100_001)
        let path = bench.directory.path(of: "out")
        let error = #expect(throws: CacheError.self) {
            try bench.cache.export(identifier: Self.key, to: path)
        }
        #expect(error?.code == .incomplete)
        #expect(error?.message.contains("100000 of 100001 bytes") == true)
        #expect(try bench.cache.export(identifier: CacheBench.key(7).identifier, to: path) == nil)
        try bench.keep(1, 0..<100_000)
        for (operation, errno) in [
            (.copy, ENOSPC), (.synchronize, EIO), (.rename, EACCES), (.open, EMFILE),
        ]
            as [(FileFailure.Operation, CInt)]
        {
            bench.files.answer { call in
                call.operation == operation && call.name.hasPrefix("out") ? .fails(errno) : .goesOn
            }
            let error = #expect(throws: CacheError.self) {
                try bench.cache.export(identifier: Self.key, to: path)
            }
            #expect(error?.errno == errno)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: bench.directory.path) == [
                    "cache"
                ]
            )
        }
    }

    @Test("a cancelled export leaves no file, and an older file unchanged")
    func cancelled() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<100_000)
        let path = bench.directory.path(of: "out")
        for (limit, older) in [(0, nil), (1, nil), (2, "older"), (3, nil)] as [(Int, String?)] {
            if let older { try Data(older.utf8).write(to: URL(filePath: path)) }
            // The export checks three times: before it compares, before it copies, and before it
            // renames. A later cancellation has no effect.
            var count = 0
            let export = {
                try bench.cache.export(identifier: Self.key, to: path) {
                    if count == limit { throw CancellationError() }
                    count += 1
                }
            }
            if limit == 3 {
                #expect(try export() == 100_000)
            } else {
                #expect(throws: CancellationError.self, performing: export)
                #expect((try? String(contentsOfFile: path, encoding: .utf8)) == older)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
            #expect(Set(names).subtracting(["cache", "out"]).isEmpty)
        }
    }

    @Test("verifying reads everything again, and reports damage")
    func verifies() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<300_000)
        #expect(
            try bench.cache.verify(identifier: Self.key)
                == CacheVerification(soundByteCount: 300_000, damagedByteCount: 0)
        )
        let name = try #require(bench.fileNames.first { $0.hasSuffix(".data") })
        let file = try FileHandle(forUpdating: URL(filePath: bench.cache.directory + "/" + name))
        try file.seek(toOffset: 299_999)
        try file.write(contentsOf: Data([0x55]))
        try file.close()
        // The cache compares again, though this process wrote the bytes and had checked them.
        #expect(
            try bench.cache.verify(identifier: Self.key)
                == CacheVerification(soundByteCount: 262_144, damagedByteCount: 300_000 - 262_144)
        )
        #expect(throws: CacheError.self) {
            try bench.cache.export(identifier: Self.key, to: bench.directory.path(of: "out"))
        }
        #expect(try bench.cache.verify(identifier: CacheBench.key(7).identifier) == nil)
    }
}
