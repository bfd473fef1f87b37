// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("Two versions of Weir at one cache folder", .timeLimit(.minutes(1)))
struct OtherVersionTests {
    /// A refusal in the form of version 1, which every version reads.
    private static let refusal =
        #"{"failure":{"_0":{"kind":"cache","code":"inUse","message":"The cache directory is used by another version of Weir, which does not understand this one; end one of the two."}}}"#

    /// The owner's response to the first bytes of a user, once it has responded or closed the connection.
    private static func answer(to request: [UInt8]) async throws -> String? {
        let folder = TemporaryDirectory()
        let owner = try SharingScene.access(folder.path)
        let user = try SharingScene.access(folder.path)
        // The owner can answer from now on.
        _ = try await user.perform(.list)
        let connection = try await RawConnection(directory: folder.path)
        try await connection.say(request)
        let heard = await connection.hear { RecordedWire.firstMessage(of: $0) != nil }
        await connection.close()
        await user.close()
        await owner.close()
        return RecordedWire.firstMessage(of: heard).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func frame(_ content: [UInt8]) -> [UInt8] {
        [1] + withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) } + content
    }

    @Test("the refusal has the format that version 1 can show")
    func form() {
        #expect(String(decoding: Message.refusal, as: UTF8.self) == Self.refusal)
        let error = #expect(throws: CacheError.self) {
            _ = try Message(decoding: Message.refusal)
        }
        #expect(error?.message == CacheError.otherVersion.message)
    }

    // MARK: Another user, this owner

    @Test(
        "an old user is refused with a message, whatever it asks",
        arguments: ["use", "list", "pin", "verify", "remove", "removeAll"]
    )
    func oldUser(_ asked: String) async throws {
        let all = RecordedWire.conversations.values.joined()
        let recorded = try #require(all.first { $0.asked == asked })
        #expect(try await Self.answer(to: recorded.request) == Self.refusal)
    }

    @Test(
        "a process with another version, or none, is refused with a message",
        arguments: [
            Array(#"{"version":2,"kind":{"command":{"_0":{"list":{}}}}}"#.utf8),
            Array(#"{"version":1,"kind":{"dance":{}}}"#.utf8), Array(#"{"kind":{}}"#.utf8),
            Array("[]".utf8), Array("nonsense".utf8), [], [3, 5, 1], [4, 5, 1], [8, 5, 1], [5],
            [5, 99],
            [5, 5, 1, 0],
        ]
    )
    func newerUser(_ request: [UInt8]) async throws {
        #expect(try await Self.answer(to: Self.frame(request)) == Self.refusal)
    }

    // MARK: This user, another owner

    @Test(
        "with an owner of another version media play without the cache, and one message says so",
        arguments: [
            Array(OtherVersionTests.refusal.utf8), Array(#"{"novelty":{"_0":7}}"#.utf8), [6, 6, 0],
            [4, 7], [5, 200],
        ]
    )
    func otherOwner(_ answer: [UInt8]) async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let asked = Watched<[[UInt8]]>([])
        let other = try await OtherOwner(directory: folder.path) { message in
            asked.update { $0.append(message) }
            return Self.frame(answer)
        }
        let events = SharingScene.Events()
        let user = try SharingScene.access(folder.path, events)
        let source = SharingScene.source(ScriptedSource(ScriptedResource(length: 50_000)), user)
        for _ in 0..<2 {
            let read = try await SharingScene.bytes(source)
            #expect(read == ReadBytes(PatternBytes.bytes(in: 0..<50_000)))
        }
        let sentence = CacheError.otherVersion.message
        #expect(events.degradations == [sentence])
        let error = await #expect(throws: CacheError.self) { _ = try await user.perform(.list) }
        #expect(error?.message == sentence)
        // An old owner expects JSON, and refuses other messages.
        #expect(!asked.value.isEmpty)
        for message in asked.value {
            #expect((try? JSONSerialization.jsonObject(with: Data(message))) == nil)
        }
        await source.close()
        await user.close()
        await other.close()
        holder.close()
    }

    @Test("a command to an owner of another version fails with the message")
    func otherOwnerCommand() async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let other = try await OtherOwner(directory: folder.path) { _ in
            Self.frame(Array(Self.refusal.utf8))
        }
        let events = SharingScene.Events()
        let user = try SharingScene.access(folder.path, events)
        let error = await #expect(throws: CacheError.self) { _ = try await user.perform(.list) }
        #expect(error?.message == CacheError.otherVersion.message)
        #expect(events.degradations.isEmpty)
        await user.close()
        await other.close()
        holder.close()
    }
}
