// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("Two versions of Weir at one cache folder")
struct OtherVersionTests {
    private static let refusal = "another version of Weir"
    private static let end = Array("{\"end\":{}}".utf8)

    /// The bytes of a resource, as the fixture's script drew them.
    private static func drawn(seed: UInt64, count: Int) -> [UInt8] {
        FormatFixture.plainBytes(seed: seed, count: count)
    }

    /// Whether a first message is one of these.
    private static func says(_ heard: [UInt8], _ text: String) -> Bool {
        guard let message = RecordedWire.firstMessage(of: heard) else { return false }
        return String(decoding: message, as: UTF8.self).contains(text)
    }

    /// Connects as soon as the owner listens.
    private static func connect(_ folder: TemporaryDirectory) async throws -> RawConnection {
        for _ in 0..<10_000 {
            if let line = try? await RawConnection(directory: folder.path) { return line }
            try await Task.sleep(for: .milliseconds(1))
        }
        return try await RawConnection(directory: folder.path)
    }

    // MARK: An old user, this owner

    @Test(
        "what an old user says is understood by this owner, who asks its origin and sends it the bytes; or refused"
    )
    func oldUserPlays() async throws {
        let folder = TemporaryDirectory()
        let owner = try SharingScene.access(folder.path)
        let held = try #require(RecordedWire.conversations["playing what is held"])
        let fetched = try #require(RecordedWire.conversations["playing what is not held"])
        #expect(held.map(\.asked) == ["use", "read"])
        #expect(fetched.map(\.asked) == ["use", "read", "supply"])
        // Two uses, so that the second has the number that was recorded.
        let first = try await Self.connect(folder)
        try await first.say(held[0].request)
        let answer = await first.hear { RecordedWire.firstMessage(of: $0) != nil }
        if Self.says(answer, "\"using\"") {
            let (use, read) = (try await Self.connect(folder), try await Self.connect(folder))
            try await use.say(fetched[0].request)
            let using = await use.hear { RecordedWire.firstMessage(of: $0) != nil }
            #expect(Self.says(using, "\"using\""))
            try await read.say(fetched[1].request)
            let order = await use.hear { String(decoding: $0, as: UTF8.self).contains("\"order\"") }
            #expect(String(decoding: order, as: UTF8.self).contains("\"order\""))
            let supply = try await Self.connect(folder)
            try await supply.say(fetched[2].request)
            let heard = await read.hear { $0.suffix(Self.end.count) == Self.end[...] }
            #expect(Self.says(heard, "\"reading\""))
            let bytes = Self.drawn(seed: 13, count: 2_000)
            let last = heard.dropLast(Self.end.count + Frame.headLength).suffix(bytes.count)
            #expect(ReadBytes(last) == ReadBytes(bytes))
            for line in [use, read, supply] { await line.close() }
        } else {
            #expect(Self.says(answer, Self.refusal))
        }
        await first.close()
        await owner.close()
    }

    @Test(
        "an old user's commands are carried out, or refused with a sentence",
        arguments: ["list", "pin", "verify", "remove", "removeAll"]
    )
    func oldUserCommands(_ command: String) async throws {
        let all = RecordedWire.conversations.values.joined()
        let recorded = try #require(all.first { $0.asked == command })
        let folder = TemporaryDirectory()
        let owner = try SharingScene.access(folder.path)
        let line = try await Self.connect(folder)
        try await line.say(recorded.request)
        let heard = await line.hear { RecordedWire.firstMessage(of: $0) != nil }
        #expect(Self.says(heard, "\"done\"") || Self.says(heard, Self.refusal))
        await line.close()
        await owner.close()
    }

    @Test(
        "who speaks a newer version, or none, is refused with a sentence",
        arguments: [
            #"{"version":2,"kind":{"command":{"_0":{"list":{}}}}}"#,
            #"{"version":1,"kind":{"dance":{}}}"#, #"{"kind":{}}"#, "[]", "nonsense",
        ]
    )
    func newerUser(_ request: String) async throws {
        let folder = TemporaryDirectory()
        let owner = try SharingScene.access(folder.path)
        let line = try await Self.connect(folder)
        try await line.say(Self.frame(request))
        let heard = await line.hear { RecordedWire.firstMessage(of: $0) != nil }
        #expect(Self.says(heard, "\"failure\"") && Self.says(heard, Self.refusal))
        await line.close()
        await owner.close()
    }

    // MARK: This user, another owner

    @Test(
        "what an old owner answers is understood by this user: it plays what is held, and sees the list"
    )
    func oldOwner() async throws {
        let folder = TemporaryDirectory()
        // Somebody else has the folder.
        let holder = try Cache(directory: folder.path)
        let held = try #require(RecordedWire.conversations["playing what is held"])
        let commands = RecordedWire.conversations.values.joined()
        let old = try await RecordedOwner(directory: folder.path) { asked, _ in
            (held + commands).first { $0.asked == asked }?.answer
        }
        let events = SharingScene.Events()
        let user = try SharingScene.access(folder.path, events)
        let source = SharingScene.source(FailedSource(), user)
        #expect(
            try await SharingScene.bytes(source) == ReadBytes(Self.drawn(seed: 12, count: 3_000))
        )
        guard case .resources(let list) = try await user.perform(.list) else {
            Issue.record("the list is none")
            return
        }
        #expect(!list.isEmpty)
        #expect(list.allSatisfy { $0.resource.display.hasPrefix("http://fixture.example/") })
        guard case .found(true) = try await user.perform(.pin(list[0].resource.identifier, true)),
            case .verified(_, 0) = try await user.perform(.verify(list[0].resource.identifier))
        else {
            Issue.record("a command of an old owner was not understood")
            return
        }
        #expect(events.degradations.isEmpty)
        await source.close()
        await user.close()
        await old.close()
        holder.close()
    }

    @Test(
        "where the owner is a newer one, media play without the cache, and a sentence says so once",
        arguments: [
            #"{"failure":{"_0":{"kind":"cache","code":"inUse","message":"REFUSED"}}}"#,
            #"{"novelty":{"_0":7}}"#,
        ]
    )
    func newerOwner(_ answer: String) async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let sentence = OwnerRequest.otherVersion.message
        let bytes = Self.frame(answer.replacingOccurrences(of: "REFUSED", with: sentence))
        let newer = try await RecordedOwner(directory: folder.path) { _, _ in bytes }
        let events = SharingScene.Events()
        let user = try SharingScene.access(folder.path, events)
        let source = SharingScene.source(ScriptedSource(ScriptedResource(length: 50_000)), user)
        for _ in 0..<2 {
            let read = try await SharingScene.bytes(source)
            #expect(read == ReadBytes(PatternBytes.bytes(in: 0..<50_000)))
        }
        #expect(events.degradations == [sentence])
        let error = await #expect(throws: CacheError.self) { _ = try await user.perform(.list) }
        #expect(error?.message == sentence)
        await source.close()
        await user.close()
        await newer.close()
        holder.close()
    }

    private static func frame(_ text: String) -> [UInt8] {
        let count = UInt32(text.utf8.count)
        return [1] + withUnsafeBytes(of: count.bigEndian) { Array($0) } + Array(text.utf8)
    }

    /// An origin that nobody should ask.
    private struct FailedSource: ByteSource {
        private static let failure = SourceError(
            .originFailed,
            "This origin should not have been asked."
        )

        func describe() async throws -> ResourceDescription { throw Self.failure }
        func read(_ demand: ReadDemand) async throws -> ByteReading { throw Self.failure }
    }
}
