// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("What two processes say to each other")
struct WireTests {
    // MARK: Frames

    @Test("frames come out as they went in, however they are cut")
    func frames() throws {
        var stream = ByteBuffer()
        let message = Array("{\"end\":{}}".utf8)
        let bytes = PatternBytes.bytes(in: 0..<1000)
        for (kind, content) in [(UInt8(1), message), (2, bytes), (1, message), (1, [])] {
            stream.writeInteger(kind)
            stream.writeInteger(UInt32(content.count))
            stream.writeBytes(content)
        }
        for size in [1, 2, 5, 6, 7, 64, 5000] {
            var decoder = FrameDecoder(longestMessage: 1 << 20)
            var (rest, buffer) = (stream, ByteBuffer())
            var (messages, content) = ([[UInt8]](), [UInt8]())
            while let piece = rest.readSlice(length: min(size, max(1, rest.readableBytes))) {
                buffer.writeImmutableBuffer(piece)
                while let frame = try decoder.next(in: &buffer) {
                    switch frame {
                    case .message(let buffer): messages.append(Array(buffer.readableBytesView))
                    case .bytes(let buffer): content += Array(buffer.readableBytesView)
                    }
                }
            }
            #expect(messages == [message, message, []])
            #expect(content == bytes)
        }
    }

    @Test(
        "what is no frame is refused",
        arguments: [[0, 0, 0, 0, 0], [3, 0, 0, 0, 1], [1, 255, 0, 0, 0], [2, 0, 0, 0, 0]]
    )
    func nonsense(_ bytes: [UInt8]) {
        var decoder = FrameDecoder(longestMessage: 1 << 20)
        var buffer = ByteBuffer(bytes: bytes)
        #expect(throws: CacheError.self) { _ = try decoder.next(in: &buffer) }
    }

    // MARK: Messages

    private static let validators: [Validator?] = [
        nil, .entityTag("\"x\""), .lastModified("Mon", length: 3), .revision("r"),
    ]

    private static let descriptions = validators.map { validator in
        ResourceDescription(
            length: 12,
            mediaType: MediaType(headerValue: "audio/mpeg"),
            validator: validator,
            name: "ü.mp3",
            acceptsRanges: validator == nil ? nil : true,
            generation: GenerationID(rawValue: .max),
            cacheDirectives: validator.map { _ in
                CacheDirectives(forbidsStoring: true, freshness: .seconds(9))
            }
        )
    }

    private static let demands: [ReadDemand] = {
        let version = ReadDemand.Version(validator: .entityTag("\"a\""), length: 7)
        let ranges = [RequestedRange.from(0), .from(.max), .span(3..<9), .span(5..<5), .suffix(4)]
        return ranges.flatMap { [ReadDemand($0), ReadDemand($0, version: version)] }
    }()

    private static let policies = [KeepPolicy.played, .whole, .first(9)].flatMap { keep in
        [Revalidation.always, .never, .after(.milliseconds(1500))].flatMap { revalidation in
            [nil, WhenGone.serve, .refuseUnauthorized, .refuse].map { whenGone in
                LoadPolicy(
                    keep: keep,
                    readAhead: 5,
                    linger: .milliseconds(250),
                    revalidation: revalidation,
                    isImmutable: true,
                    whenGone: whenGone,
                    lingerWithoutRanges: .seconds(7)
                )
            }
        }
    }

    private static let resource = CachedResource(
        identifier: SharingScene.key.identifier,
        generation: GenerationID(rawValue: 1),
        display: "http://a.example/ü",
        account: "me",
        length: nil,
        heldByteCount: 5,
        mediaType: MediaType(headerValue: "audio/flac"),
        name: nil,
        lastUse: Date(timeIntervalSince1970: 1.5),
        created: Date(timeIntervalSince1970: -1),
        isPinned: true
    )

    private static let limits = [
        CacheLimits(), CacheLimits(byteCount: 1, resourceCount: 2, age: .seconds(3), reserve: 4),
    ]

    private static let failure = SourceError(
        .throttled,
        "Wait.",
        range: 1..<5,
        host: "h",
        status: 429,
        length: 9
    )
    .tellingOwner("Wait for TOKEN.")

    private static let context = DownloadContext([1, 2, 255]) ?? .empty

    private static let downloadCommands: [DownloadCommand] = {
        var settings = DownloadSettings()
        (settings.isExpensive, settings.maximumRunning) = (true, 7)
        return [
            .add(SharingScene.key, isKept: true),
            .add(SharingScene.key, context: context, isKept: false),
            .fail("e", Self.failure), .pause("a"), .resume("b"), .pauseAll, .resumeAll,
            .move("c", to: -3), .remove("d", deletingBytes: true), .set(settings), .list,
        ]
    }()

    private static let downloads: [DownloadStatus] = {
        let waits = DownloadState.Wait.allCases.map { DownloadState.waiting($0) }
        return ([.queued, .running, .paused, .finished, .failed(failure)] + waits).map {
            DownloadStatus(
                id: "e",
                display: "ü",
                account: "me",
                context: context,
                state: $0,
                heldByteCount: 5,
                length: nil
            )
        }
    }()

    /// One of each message, and more of those that have parts.
    private static let messages: [Message] = {
        let name = SharedResource(key: SharingScene.key, isOffline: true)
        var all: [Message] = policies.map { .use(name, $0) }
        all += demands.map { .read(use: 7, $0) }
        all += [.describe(use: .max), .held(use: 3), .supply(order: 3)]
        let commands: [CacheCommand] = [
            .list, .remove("a"), .removeAll, .pin("b", true), .verify("c"),
            .export("d", path: "/e"),
        ]
        all += commands.map { .command($0) }
        all += downloadCommands.map { .download($0) }
        all += [.watchDownloads, .downloads([]), .downloads(downloads)]
        all += limits.map { .using(1, $0) }
        all += [.alive, .watch, .end, .unchanged(true), .unchanged(false)]
        all += demands.map { .order(9, .read($0, isLastTry: true)) }
        all += [.order(1, .describe)]
        all += validators.map {
            .order(2, .isUnchanged(ReadDemand.Version(validator: $0, length: nil)))
        }
        all += [
            .availability(Availability(held: RangeSet(), length: nil)),
            .availability(Availability(held: RangeSet([0..<3, 7..<9]), length: 9)),
        ]
        all += descriptions.map { .described($0) }
        all += descriptions.map {
            .reading($0, lowerBound: 1, upperBound: 8, provesEnd: true, coversWhole: false)
        }
        all += descriptions.map {
            .reading($0, lowerBound: 0, upperBound: nil, provesEnd: false, coversWhole: true)
        }
        let results: [CommandResult] = [
            .resources([]), .resources([resource, resource]), .found(true), .exported(1 << 40),
            .verified(CacheVerification(soundByteCount: 1, damagedByteCount: 2)),
            .removed(CacheRemoval(resourceCount: 3, byteCount: 1 << 40)),
        ]
        all += results.map { .done($0) }
        all += [
            .failure(failure), .failure(SourceError(.closed, "")),
            .failure(CacheError(.full, "Full.")), .failure(PeerError.disconnected),
        ]
        return all
    }()

    @Test("every message comes out as it went in")
    func roundTrips() throws {
        for message in Self.messages {
            let encoded = message.encoded
            let again = try Message(decoding: encoded)
            #expect("\(again)" == "\(message)")
            #expect(again.encoded == encoded)
        }
    }

    @Test("a message that is cut off anywhere, or goes on behind its end, is none")
    func truncation() {
        for message in Self.messages {
            let encoded = message.encoded
            for count in 0..<encoded.readableBytes {
                let part = encoded.getSlice(at: 0, length: count) ?? ByteBuffer()
                #expect(throws: CacheError.self, "\(message)") {
                    _ = try Message(decoding: part)
                }
            }
            var longer = encoded
            longer.writeInteger(UInt8(0))
            #expect(throws: CacheError.self, "\(message)") { _ = try Message(decoding: longer) }
        }
    }

    @Test("random bytes are read as a message or refused, and never trap")
    func randomBytes() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var buffer = ByteBuffer(bytes: [
                Message.version, UInt8.random(in: 0...23, using: &generator),
            ])
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let isSmall = Bool.random(using: &generator)
                buffer.writeInteger(UInt8.random(in: isSmall ? 0...3 : 0...255, using: &generator))
            }
            if let message = try? Message(decoding: buffer) {
                // What was read can be sent.
                _ = try? Message(decoding: message.encoded)
            }
        }
        // Each message with some of its bytes changed.
        for message in Self.messages {
            for _ in 0..<50 {
                var bytes = Array(message.encoded.readableBytesView)
                let place = Int.random(in: 1..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
                _ = try? Message(decoding: ByteBuffer(bytes: bytes))
            }
        }
    }

    @Test("a text and a list that claim to be longer than the message are refused unread")
    func hostileCounts() {
        for kind in [UInt8(10), 17] {
            var buffer = ByteBuffer(bytes: [Message.version, kind])
            buffer.write(UInt32.max, UInt64(1))
            #expect(throws: CacheError.self) { _ = try Message(decoding: buffer) }
        }
        // A text that is not UTF-8.
        var buffer = ByteBuffer(bytes: [Message.version, 17])
        buffer.write(UInt32(2), UInt8(0xC3), UInt8(0x28), "")
        #expect(throws: CacheError.self) { _ = try Message(decoding: buffer) }
    }

    @Test("a range that no reader can mean is refused")
    func meaninglessRanges() {
        for range in [RequestedRange.from(-1), .span(-5..<5), .suffix(-1)] {
            let message = Message.read(use: 1, ReadDemand(range))
            #expect(throws: CacheError.self) { _ = try Message(decoding: message.encoded) }
        }
    }

    @Test("an error comes out with its kind, and a cancelled one as something to try again")
    func failures() throws {
        func sent(_ error: any Error) throws -> any Error {
            guard case .failure(let again) = try Message(decoding: Message.failure(error).encoded)
            else { throw CancellationError() }
            return again
        }
        let again = try sent(Self.failure) as? SourceError
        #expect(again?.code == .throttled)
        #expect(again?.range == 1..<5)
        #expect(again?.length == 9)
        #expect((try sent(CacheError(.full, "Full.")) as? CacheError)?.code == .full)
        #expect(try sent(CancellationError()) as? PeerError == .disconnected)
    }
}
