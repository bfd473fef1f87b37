// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Secrets stay out")
struct SecrecyTests {
    @Test("no file of the cache holds a token of the location's query, during use or after")
    func grep() throws {
        let bench = try CacheBench()
        let key = ResourceKey(
            location: "https://example.org/song.mp3?token=SECRET&id=7",
            account: "anna",
            display: "https://example.org/song.mp3"
        )
        let generation = try bench.cache.create(
            key,
            description: ResourceDescription(
                length: 100,
                mediaType: .mpegAudio,
                validator: .entityTag("\"1\""),
                name: "song.mp3"
            ),
            persistent: true
        )
        try generation.write(pattern: 0..<100)
        let first = try bench.copied()
        try Self.expectNoSecret(in: first.path(of: "cache"))
        bench.work.advance(by: .seconds(60))
        let second = try bench.copied()
        try Self.expectNoSecret(in: second.path(of: "cache"))
        generation.release()
        bench.cache.close()
        try Self.expectNoSecret(in: bench.cache.directory)
    }

    private static func expectNoSecret(in directory: String) throws {
        let secret = Data("SECRET".utf8)
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        var isShown = false
        for name in names {
            #expect(!name.contains("SECRET"))
            let status = try #require(try PosixFiles().status(of: directory + "/" + name))
            guard status.kind == .file else { continue }
            let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
            #expect(data.range(of: secret) == nil, "\(name)")
            isShown = isShown || data.range(of: Data("example.org/song.mp3".utf8)) != nil
        }
        // The public address is found, so the search does look at the written files.
        #expect(isShown || names.allSatisfy { !$0.hasSuffix(".journal") })
    }
}
