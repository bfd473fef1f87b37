// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("The file of the download queue", .timeLimit(.minutes(1)))
struct DownloadJournalTests {
    private static func key(_ number: Int) -> ResourceKey { DownloadMachineTests.key(number) }

    private static func entry(_ number: Int) -> DownloadEntry {
        DownloadEntry(
            Self.key(number),
            context: DownloadContext([UInt8](repeating: 7, count: number)) ?? .empty,
            isPinned: number.isMultiple(of: 2)
        )
    }

    /// Changes of every kind.
    private static let records: [DownloadRecord] = {
        var failed = Self.entry(1)
        failed.outcome = .failed(SourceError(.notFound, "Nö.", status: 404))
        var finished = Self.entry(2)
        finished.outcome = .finished
        finished.hasPinned = true
        var paused = Self.entry(0)
        paused.isPaused = true
        return [
            .entry(Self.entry(0)), .entry(Self.entry(1)), .entry(Self.entry(2)), .entry(failed),
            .moved(Self.entry(2).id, to: 0), .entry(finished), .entry(paused),
            .removed(Self.entry(1).id), .entry(Self.entry(3)), .moved(Self.entry(3).id, to: 9),
        ]
    }()

    /// A folder with a file of records, and the offset at which each record ends.
    private struct Recorded {
        let folder = TemporaryDirectory()
        var tables = [DownloadTable()]
        var ends: [Int] = []
        var path: String { self.folder.path(of: "downloads.queue") }

        init(_ records: [DownloadRecord] = DownloadJournalTests.records) async throws {
            let journal = self.journal()
            for record in records {
                journal.write(record)
                try await journal.flush()
                var table = self.tables[self.tables.count - 1]
                table.apply(record)
                self.tables.append(table)
                self.ends.append(try self.bytes().count)
            }
        }

        /// A journal that does not wait for the disk, unless other files are given.
        func journal(
            _ files: (any FileOperations)? = nil,
            format: RecordLog.Format = DownloadRecord.format
        ) -> DownloadJournal {
            let quick = ScriptedFiles()
            quick.answer { $0.operation == .synchronize ? .skips : .goesOn }
            let files = files ?? quick
            return self.journal(on: files, format)
        }

        private func journal(
            on files: any FileOperations,
            _ format: RecordLog.Format
        ) -> DownloadJournal {
            DownloadJournal(
                RecordLog(directory: self.folder.path, files: files, format: format)
            )
        }

        func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: self.path))) }

        func put(_ bytes: some Sequence<UInt8>) throws {
            try Data(bytes).write(to: URL(filePath: self.path))
        }
    }

    @Test("a file that is cut anywhere gives the queue of its whole records, and stays in use")
    func everyCut() async throws {
        let recorded = try await Recorded()
        let bytes = try recorded.bytes()
        for count in 24...bytes.count {
            try recorded.put(bytes[..<count])
            let journal = recorded.journal()
            let whole = recorded.ends.count { $0 <= count }
            #expect(journal.table == recorded.tables[whole], "cut at \(count)")
            #expect(journal.trouble == nil)
            let next = DownloadRecord.entry(Self.entry(7))
            journal.write(next)
            try await journal.flush()
            var expected = recorded.tables[whole]
            expected.apply(next)
            #expect(recorded.journal().table == expected, "after a cut at \(count)")
        }
    }

    @Test("a bit that flips anywhere gives an earlier queue, or the file is put aside")
    func everyBit() async throws {
        let recorded = try await Recorded()
        let bytes = try recorded.bytes()
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << (index % 8)
            try recorded.put(flipped)
            let journal = recorded.journal()
            let whole = recorded.ends.count { $0 <= index }
            if index < 24 {
                #expect(journal.table.count == 0)
                #expect(journal.trouble?.code == .io)
                let aside = try Data(contentsOf: URL(filePath: recorded.path + ".unreadable"))
                #expect(Array(aside) == flipped)
                journal.write(.entry(Self.entry(5)))
                try await journal.flush()
                #expect(recorded.journal().table.count == 1)
            } else {
                #expect(journal.table == recorded.tables[whole], "bit of byte \(index)")
            }
        }
    }

    @Test("a file of a newer Weir is not changed, and the error says so")
    func newer() async throws {
        let recorded = try await Recorded([])
        let format = RecordLog.Format(name: "downloads.queue", magic: "WEIRDNLD", version: 2)
        var log = RecordLog(directory: recorded.folder.path, files: PosixFiles(), format: format)
        try log.rewrite([RecordLog.Record(kind: 200, payload: [1])])
        let bytes = try recorded.bytes()
        let journal = recorded.journal()
        #expect(journal.trouble?.code == .newerFormat)
        journal.write(.entry(Self.entry(0)))
        let error = await #expect(throws: CacheError.self) { try await journal.flush() }
        #expect(error?.code == .newerFormat)
        journal.close(CacheError(.closed, "Closed."))
        #expect(try recorded.bytes() == bytes)
    }

    @Test("a record of an unknown kind is skipped, and a nonsense record changes nothing")
    func unknown() async throws {
        let recorded = try await Recorded([])
        var log = RecordLog(
            directory: recorded.folder.path,
            files: PosixFiles(),
            format: DownloadRecord.format
        )
        let first = DownloadRecord.entry(Self.entry(0)).encoded
        for kind in [1, 2, 3, 77] as [UInt8] {
            try log.rewrite([first, RecordLog.Record(kind: kind, payload: [9, 9, 9]), first])
            #expect(recorded.journal().table.order == [Self.entry(0).id])
        }
    }

    @Test("an empty queue leaves no file, and a long history leaves a short file")
    func compaction() async throws {
        let recorded = try await Recorded([])
        let journal = recorded.journal()
        for _ in 0..<2000 {
            var entry = Self.entry(0)
            journal.write(.entry(entry))
            entry.isPaused = true
            journal.write(.entry(entry))
        }
        try await journal.flush()
        #expect(try recorded.bytes().count < 100_000)
        #expect(recorded.journal().table[Self.entry(0).id]?.isPaused == true)
        journal.write(.removed(Self.entry(0).id))
        try await journal.flush()
        #expect(!FileManager.default.fileExists(atPath: recorded.path))
        journal.write(.entry(Self.entry(1)))
        try await journal.flush()
        #expect(recorded.journal().table.count == 1)
    }

    @Test("a file is rewritten before it becomes too long to be read")
    func longRecords() async throws {
        let recorded = try await Recorded([])
        let format = RecordLog.Format(
            name: "downloads.queue",
            magic: "WEIRDNLD",
            version: 1,
            maximumSize: 20_000
        )
        let journal = recorded.journal(format: format)
        for number in 0..<60 {
            let id = Self.key(number % 3).identifier
            let display = String(repeating: "x", count: 4096)
            let key = ResourceKey(identifier: id, account: "", display: display)
            var entry = DownloadEntry(try #require(key), isPinned: true)
            entry.isPaused = number > 56
            journal.write(.entry(entry))
            try await journal.flush()
            #expect(try recorded.bytes().count <= 20_000)
            #expect(recorded.journal(format: format).table[entry.id] == entry)
        }
        #expect(recorded.journal(format: format).table.all.map(\.isPaused) == [true, true, true])
    }

    @Test("records that a full disk refused are written when there is room")
    func fullDisk() async throws {
        let recorded = try await Recorded([])
        let files = ScriptedFiles()
        let journal = recorded.journal(files)
        journal.write(.entry(Self.entry(0)))
        try await journal.flush()
        files.answer { $0.operation == .write ? .fails(ENOSPC) : .goesOn }
        journal.write(.entry(Self.entry(1)))
        let error = await #expect(throws: CacheError.self) { try await journal.flush() }
        #expect(error?.code == .full)
        #expect(recorded.journal().table.count == 1)
        files.heal()
        journal.catchUp()
        try await journal.flush()
        #expect(recorded.journal().table.count == 2)
        // The next change also writes the lost one.
        files.answer { $0.operation == .synchronize ? .fails(EIO) : .goesOn }
        journal.write(.moved(Self.entry(1).id, to: 0))
        await #expect(throws: CacheError.self) { try await journal.flush() }
        files.heal()
        journal.write(.entry(Self.entry(2)))
        try await journal.flush()
        let order = [Self.entry(1), Self.entry(0), Self.entry(2)].map(\.id)
        #expect(recorded.journal().table.order == order)
    }

    @Test(
        "an owner that has lost its directory writes nothing more; one that closes writes the rest"
    )
    func closing() async throws {
        for isReplaced in [true, false] {
            let recorded = try await Recorded([])
            let files = ScriptedFiles()
            let journal = recorded.journal(files)
            journal.write(.entry(Self.entry(0)))
            try await journal.flush()
            files.answer { $0.operation == .write ? .fails(ENOSPC) : .goesOn }
            journal.write(.entry(Self.entry(1)))
            await #expect(throws: CacheError.self) { try await journal.flush() }
            files.heal()
            journal.close(CacheError(.closed, "Closed."), isReplaced: isReplaced)
            #expect(recorded.journal().table.count == (isReplaced ? 1 : 2))
            journal.write(.entry(Self.entry(2)))
            let error = await #expect(throws: CacheError.self) { try await journal.flush() }
            #expect(error?.code == .closed)
            #expect(recorded.journal().table.count == (isReplaced ? 1 : 2))
        }
    }

    @Test("ten thousand downloads are read back, and no more than that")
    func many() async throws {
        let recorded = try await Recorded([])
        var log = RecordLog(
            directory: recorded.folder.path,
            files: PosixFiles(),
            format: DownloadRecord.format
        )
        try log.rewrite((0..<10_100).map { DownloadRecord.entry(Self.entry($0)).encoded })
        #expect(recorded.journal().table.count == DownloadMachine.maximumCount)
    }
}
