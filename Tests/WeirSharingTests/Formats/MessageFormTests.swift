// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirLoader
import WeirSource

@testable import WeirSharing

/// The messages of version 7 and the download queue's file, byte for byte, from `Fixtures/wire-7.txt`.
///
/// A line is a name, a space and the bytes in hexadecimal digits. A different form needs a new version.
@Suite("The format of the messages and of the download queue's file")
struct MessageFormTests {
    private static let recorded: [String: String] = {
        do {
            let file = URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/wire-7.txt")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
            return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
        } catch {
            preconditionFailure("the recorded messages cannot be read: \(error)")
        }
    }()

    /// One message of each kind, with each command, order, result and state of a download.
    private static let messages: [(name: String, message: Message)] = {
        let name = SharedResource(key: SharingScene.key, isOffline: true)
        let version = ReadDemand.Version(validator: .revision("r"), length: 7)
        let described = MessageSamples.descriptions
        var whole = ReadDemand(.suffix(4), version: version)
        whole.takesWhole = true
        var all: [(name: String, message: Message)] = [
            ("use.played", .use(name, LoadPolicy())),
            (
                "use.first",
                .use(
                    SharedResource(key: SharingScene.key),
                    LoadPolicy(
                        prefetch: .first(9),
                        readAhead: 5,
                        linger: .milliseconds(250),
                        revalidation: .after(.milliseconds(1500)),
                        isImmutable: true,
                        whenGone: .refuse,
                        lingerWithoutRanges: .seconds(7)
                    )
                )
            ),
            ("read.from", .read(use: 7, ReadDemand(.from(300)))),
            ("read.span", .read(use: 7, ReadDemand(.span(3..<900), version: version))),
            ("read.suffix", .read(use: 7, whole)),
            ("describe", .describe(use: .max)), ("held", .held(use: 3)),
            ("supply", .supply(order: 3)), ("watchDownloads", .watchDownloads),
            ("shareText", .shareText(key: "abc", after: 5)), ("loadText", .loadText(number: 6)),
            ("text", .text(MessageSamples.text, number: 6)),
            ("using.none", .using(1, MessageSamples.limits[0])),
            ("using.limits", .using(1, MessageSamples.limits[1])), ("alive", .alive),
            ("watch", .watch), ("end", .end), ("unchanged", .unchanged(true)),
            ("order.read", .order(9, .read(whole, isLastTry: true))),
            ("order.describe", .order(1, .describe)),
            ("order.isUnchanged", .order(2, .isUnchanged(version))),
            (
                "availability",
                .availability(Availability(held: RangeSet([0..<3, 7..<9]), length: 9))
            ),
            ("failure.source", .failure(MessageSamples.failure)),
            ("failure.cache", .failure(CacheError(.full, "Full."))),
            ("failure.peer", .failure(PeerError.disconnected)),
            ("downloads", .downloads(MessageSamples.downloads)),
        ]
        all += described.enumerated().map { ("described.\($0)", .described($1)) }
        all += [
            (
                "reading.span",
                .reading(
                    described[1],
                    lowerBound: 1,
                    upperBound: 8,
                    provesEnd: true,
                    coversWhole: false
                )
            ),
            (
                "reading.open",
                .reading(
                    described[0],
                    lowerBound: 0,
                    upperBound: nil,
                    provesEnd: false,
                    coversWhole: true
                )
            ),
        ]
        all += MessageSamples.commands.enumerated().map { ("command.\($0)", .command($1)) }
        all += MessageSamples.downloadCommands.enumerated().map {
            ("download.\($0)", .download($1))
        }
        all += MessageSamples.results.enumerated().map { ("done.\($0)", .done($1)) }
        return all
    }()

    private static let records: [(name: String, record: DownloadRecord)] = {
        let context = MessageSamples.context
        var failed = DownloadEntry(SharingScene.key, context: context, isPinned: true)
        (failed.isPaused, failed.outcome) = (true, .failed(MessageSamples.failure))
        var finished = DownloadEntry(SharingScene.key, isPinned: false)
        (finished.hasPinned, finished.outcome) = (true, .finished)
        return [
            ("record.entry", .entry(DownloadEntry(SharingScene.key, isPinned: true))),
            ("record.failed", .entry(failed)), ("record.finished", .entry(finished)),
            ("record.removed", .removed("e")), ("record.moved", .moved("e", to: 300)),
        ]
    }()

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    @Test("every message has the bytes of version 7, and is read from them")
    func messages() throws {
        for (name, message) in Self.messages {
            let recorded = try #require(Self.recorded[name], "\(name)")
            #expect(Self.digits(message.encoded) == recorded, "\(name)")
            let read = try Message(decoding: Self.bytes(recorded))
            #expect("\(read)" == "\(message)")
        }
    }

    @Test("every record of the download queue has the recorded bytes")
    func records() throws {
        for (name, record) in Self.records {
            let recorded = try #require(Self.recorded[name], "\(name)")
            let encoded = record.encoded
            #expect(Self.digits([encoded.kind] + encoded.payload) == recorded, "\(name)")
            let bytes = Self.bytes(recorded)
            let stored = RecordLog.Record(kind: bytes[0], payload: Array(bytes.dropFirst()))
            #expect(DownloadRecord(stored) == record, "\(name)")
        }
    }

    @Test("every recorded message is used, and each kind has one")
    func complete() {
        let names = Self.messages.map(\.name) + Self.records.map(\.name)
        #expect(Set(names) == Set(Self.recorded.keys))
        let kinds = Set(
            Self.messages.map { $0.message.encoded.dropFirst().first }
        )
        #expect(kinds == Set((1...25).map { UInt8($0) }))
    }
}
