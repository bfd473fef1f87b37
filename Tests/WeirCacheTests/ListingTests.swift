// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Listing the cache")
struct ListingTests {
    @Test("a list shows the held resources, the most recently used first")
    func resources() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<100)
        let generation = try bench.cache.create(
            CacheBench.key(2),
            description: ResourceDescription(
                length: 50,
                mediaType: .flac,
                validator: .revision("1"),
                name: "two.flac"
            ),
            persistent: true
        )
        try generation.write(pattern: 10..<20)
        let resources = try bench.cache.resources()
        #expect(resources.map(\.display) == [2, 1].map { "https://example.org/\($0).mp3" })
        let two = try #require(resources.first)
        #expect(two.identifier == CacheBench.key(2).identifier)
        #expect(two.generation == generation.id)
        #expect(two.account == "anna")
        #expect(two.length == 50)
        #expect(two.heldByteCount == 10)
        #expect(two.mediaType == .flac)
        #expect(two.name == "two.flac")
        #expect(!two.isPinned)
        #expect(!two.isComplete)
        #expect(resources.last?.isComplete == true)
        #expect(two.lastUse >= two.created)
    }

    @Test("the list of a directory can be read while another process owns the directory")
    func besideTheOwner() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        bench.work.advance(by: .milliseconds(500))
        #expect(
            try Cache.resources(inDirectory: bench.cache.directory).map(\.heldByteCount) == [100]
        )
        try generation.setLength(1000)
        try generation.write(pattern: 100..<300)
        bench.work.advance(by: .milliseconds(500))
        let listed = try Cache.resources(inDirectory: bench.cache.directory)
        #expect(listed == (try bench.cache.resources()))
        bench.cache.close()
        #expect(
            try Cache.resources(inDirectory: bench.cache.directory).map(\.heldByteCount) == [300]
        )
    }

    @Test("a length that was learned during a fetch stays in the list after its user left")
    func learnedLength() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        try generation.write(pattern: 0..<10)
        try generation.setLength(10)
        generation.release()
        bench.work.runAll()
        for number in 2..<40 { try bench.keep(number, 0..<10) }
        try #require(try bench.cache.open(CacheBench.key())).release()
        bench.work.advance(by: .seconds(60))
        let listed = try Cache.resources(inDirectory: bench.cache.directory)
        #expect(listed.first { $0.identifier == CacheBench.key().identifier }?.length == 10)
    }

    @Test("where there is no cache the list is empty, and nothing is created")
    func nothing() throws {
        let directory = TemporaryDirectory()
        #expect(try Cache.resources(inDirectory: directory.path(of: "none")).isEmpty)
        #expect(try Cache.resources(inDirectory: directory.path).isEmpty)
        #expect(try PosixFiles().contents(ofDirectory: directory.path).isEmpty)
    }
}
