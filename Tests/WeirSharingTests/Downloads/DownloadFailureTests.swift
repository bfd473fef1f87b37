// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirSource

@testable import WeirSharing

@Suite("The failure of a download")
struct DownloadFailureTests {
    private struct Odd: Error { let address = "https://a.example/?token=s3cret" }

    private struct Told: LocalizedError { var errorDescription: String? { "Log in first." } }

    /// Every error that a reading, the cache or a closure may throw.
    private static let errors: [any Error] =
        SourceError.Code.all.map { SourceError($0, "A sentence.") }
        + CacheError.Code.all.map { CacheError($0, "A sentence.") } + [Odd(), Told()]

    @Test("every error becomes a SourceError with a listed code and a message")
    func everyCode() {
        for error in Self.errors {
            let failure = SourceError(ofDownload: error, attempt: "fetch the medium")
            #expect(SourceError.Code(named: failure.code.description) == failure.code)
            #expect(failure.message.hasSuffix("."))
            switch error {
            case let error as SourceError: #expect(failure == error)
            case is CacheError: #expect(failure.code == .cacheFailed && failure.cause is CacheError)
            default: #expect(failure.code == .failed && failure.cause != nil)
            }
            switch DownloadSetback(error) {
            case .network(let failure), .space(let failure), .changed(let failure),
                .final(let failure):
                #expect(SourceError.Code(named: failure.code.description) != nil)
            case .sourceGone: break
            }
        }
    }

    @Test("the message has the text that a foreign error has for people, and nothing else of it")
    func foreign() {
        let odd = SourceError(ofDownload: Odd(), attempt: "fetch the medium")
        #expect(
            odd.message
                == "Could not fetch the medium: Odd was thrown; resume the download to try again."
        )
        let told = SourceError(ofDownload: Told(), attempt: "fetch the medium")
        #expect(
            told.message
                == "Could not fetch the medium: Log in first; resume the download to try again."
        )
    }

    @Test("a failed source ends a download that waits for it, and no other")
    func sourceFailed() {
        let failure = SourceError(.unauthorized, "Log in again.", status: 401)
        var queue = DownloadMachineTests.Scene(lent: 1)
        _ = queue.add(0, 1)
        for number in 0...2 {
            #expect(queue(.sourceFailed(DownloadMachineTests.id(number), failure)).isEmpty)
        }
        #expect(queue.state(0) == .running)
        #expect(queue.state(1) == .failed(failure))
        #expect(queue(.resumed(DownloadMachineTests.id(1))).isEmpty)
        #expect(queue.state(1) == .waiting(.source))
        #expect(queue(.paused(DownloadMachineTests.id(1))).isEmpty)
        #expect(queue(.sourceFailed(DownloadMachineTests.id(1), failure)).isEmpty)
        #expect(queue.state(1) == .paused)
    }

    @Test("long texts are cut, and the stored text equals the shown one")
    func bounds() throws {
        let long = SourceError(
            .forbidden,
            String(repeating: "é", count: 4000),
            range: 3..<9,
            host: String(repeating: "h", count: 4000),
            status: 403,
            length: 12
        )
        var queue = DownloadMachineTests.Scene()
        _ = queue.add(0)
        _ = queue(.sourceFailed(DownloadMachineTests.id(0), long))
        guard case .failed(let failure) = queue.state(0) else {
            Issue.record("it has not failed")
            return
        }
        #expect(failure.message.utf8.count == 1024 && failure.host?.utf8.count == 255)
        let entry = try #require(queue.machine.table[DownloadMachineTests.id(0)])
        #expect(DownloadRecord(DownloadRecord.entry(entry).encoded) == .entry(entry))
    }
}

@Suite("Data that an application stores with a download")
struct DownloadContextTests {
    private static let key = DownloadMachineTests.key(0)

    private static func context(_ text: String) throws -> DownloadContext {
        try #require(DownloadContext(Array(text.utf8)))
    }

    @Test("a context has 4096 bytes at most")
    func bound() {
        #expect(DownloadContext.maximumCount == 4096)
        #expect(DownloadContext([UInt8](repeating: 1, count: 4096)) != nil)
        #expect(DownloadContext([UInt8](repeating: 1, count: 4097)) == nil)
        var buffer = WireBuffer()
        buffer.write(UInt32(4097))
        buffer.append([UInt8](repeating: 1, count: 4097))
        #expect(throws: CacheError.self) { _ = try DownloadContext(from: &buffer) }
    }

    @Test("a download that is added again keeps its context, unless it gets a new one")
    func again() throws {
        var queue = DownloadMachineTests.Scene()
        for (given, expected) in [("a", "a"), ("", "a"), ("b", "b")] {
            _ = queue(.added(Self.key, context: try Self.context(given), isPinned: true))
            let stored = queue.machine.table[Self.key.identifier]?.context
            #expect(stored == (try Self.context(expected)))
        }
    }

    @Test("records of the former format have no context, and listed codes")
    func formerRecords() throws {
        let outcomes: [(bytes: (inout WireBuffer) -> Void, outcome: DownloadEntry.Outcome?)] = [
            ({ $0.write(UInt8(0)) }, nil),
            ({ $0.write(UInt8(1)) }, .finished),
            (
                { $0.write(UInt8(2), "notFound", "Nö.") },
                .failed(SourceError(.notFound, "Nö."))
            ),
            (
                { $0.write(UInt8(2), "newerFormat", "A newer Weir.") },
                .failed(SourceError(.cacheFailed, "A newer Weir."))
            ),
            (
                { $0.write(UInt8(2), "failed", "Odd().") },
                .failed(SourceError(.failed, "Odd()."))
            ),
            (
                { $0.write(UInt8(2), "never heard of", "Odd().") },
                .failed(SourceError(.failed, "Odd()."))
            ),
        ]
        for (write, outcome) in outcomes {
            var buffer = WireBuffer()
            buffer.write(Self.key, true, false, true)
            write(&buffer)
            let record = RecordLog.Record(kind: 1, payload: buffer.bytes)
            var expected = DownloadEntry(Self.key, isPinned: true)
            (expected.hasPinned, expected.outcome) = (true, outcome)
            #expect(DownloadRecord(record) == .entry(expected))
        }
    }

    @Test("the longest list of downloads fits into a message")
    func longestList() throws {
        let text = String(repeating: "x", count: 5000)
        let context = try #require(DownloadContext([UInt8](repeating: 1, count: 4096)))
        let key = try #require(
            ResourceKey(identifier: Self.key.identifier, account: text, display: text)
        )
        let entry = DownloadEntry(key, context: context, isPinned: true)
        let failure = SourceError(
            .rangeNotSatisfiable,
            text,
            range: 1..<2,
            host: text,
            status: 416,
            length: 1
        )
        let status = DownloadStatus(
            id: entry.id,
            display: entry.key.display,
            account: entry.key.account,
            context: entry.context,
            state: .failed(failure.fittingRecord),
            heldByteCount: 1,
            length: 1
        )
        let count = Message.downloads([status]).encoded.count
        #expect(count * DownloadMachine.maximumCount <= Frame.longestAnswer)
        var failed = entry
        failed.outcome = .failed(failure.fittingRecord)
        let record = DownloadRecord.entry(failed).encoded
        let size = (record.payload.count + 9) * DownloadMachine.maximumCount
        #expect(Int64(size) < DownloadRecord.format.maximumSize)
    }
}
