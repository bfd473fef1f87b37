// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

#if canImport(Glibc)
import Glibc
#endif

@Suite("Opening a directory")
struct StartingTests {
    private static func failure(
        _ directory: String,
        files: any FileOperations = PosixFiles()
    ) throws -> CacheError {
        let error = #expect(throws: CacheError.self) {
            try Cache(directory: directory, files: files).close()
        }
        return try #require(error)
    }

    /// Expects one sentence: it starts with the failed action, and ends with advice.
    private static func expectSentence(_ error: CacheError, naming path: String) {
        #expect(error.message.hasPrefix("Could not "))
        #expect(error.message.contains(path))
        #expect(error.message.contains("; "))
        #expect(error.message.hasSuffix("."))
        #expect(!error.message.dropLast().contains(". "))
        #expect(error.description == error.message)
    }

    @Test("an error of a file system without directories does not blame a lost directory")
    func noPlace() {
        let failure = FileFailure(errno: ENOENT, operation: .createDirectory)
        let error = CacheError("open the cache directory", path: "/proc/x", failure: failure)
        #expect(
            error.message
                == "Could not open the cache directory /proc/x: no directory can be made there; choose another cache directory."
        )
        Self.expectSentence(error, naming: "/proc/x")
        #if os(Linux)
        #expect((try? Self.failure("/proc/x"))?.message == error.message)
        #endif
    }

    @Test("the directory has its attributes before any file is created in it")
    func attributes() throws {
        let folder = TemporaryDirectory()
        let path = "\(folder.path)/new"
        let files = ScriptedFiles()
        let wanted = DirectoryAttributes(protection: .complete, isExcludedFromBackup: false)
        try Cache(directory: path, files: files, attributes: wanted).close()
        let given = try #require(files.attributes.first)
        #expect(files.attributes.count == 1)
        #expect(given.path == path)
        #expect(given.attributes == wanted)
        let opened = try #require(
            files.log.first { $0.operation == .open && $0.purpose != .reading }
        )
        #expect(opened.number > given.after)
        let usual = DirectoryAttributes()
        #expect(usual.protection == .completeUntilFirstUserAuthentication)
        #expect(usual.isExcludedFromBackup)
    }

    @Test("a new directory is created with its parents, for its owner alone")
    func made() throws {
        let directory = TemporaryDirectory()
        let path = directory.path(of: "a/b/c")
        let cache = try Cache(directory: path + "//")
        #expect(cache.directory == path)
        let generation = try cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 1, validator: .revision("1")),
            persistent: true
        )
        try generation.write(ByteMemory([1]), at: 0)
        generation.release()
        _ = try cache.resources()
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) + [""] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name) can be entered or read by others")
        }
        cache.close()
    }

    @Test("a file in the directory's place is refused")
    func file() throws {
        let directory = TemporaryDirectory()
        let path = directory.path(of: "file")
        try Data([1]).write(to: URL(fileURLWithPath: path))
        for path in [path, path + "/below"] {
            let error = try Self.failure(path)
            #expect(error.code == .notADirectory)
            Self.expectSentence(error, naming: path)
        }
        let error = #expect(throws: CacheError.self) { try Cache.resources(inDirectory: path) }
        #expect(error?.code == .notADirectory)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
    }

    @Test("a directory without write permission is refused", arguments: [EACCES, EPERM, EROFS])
    func notWritable(errno: CInt) throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        files.fail(.open, "lock", with: errno)
        let error = try Self.failure(directory.path, files: files)
        #expect(error.code == .notWritable)
        #expect(error.errno == errno)
        Self.expectSentence(error, naming: directory.path)
    }

    @Test("a directory that cannot be created is refused")
    func cannotBeMade() throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        files.fail(.createDirectory, "new", with: EACCES)
        let error = try Self.failure(directory.path(of: "new"), files: files)
        #expect(error.code == .notWritable)
        Self.expectSentence(error, naming: directory.path(of: "new"))
    }

    @Test("a full disk is an error of its own", arguments: [ENOSPC, EDQUOT])
    func full(errno: CInt) throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        files.fail(.open, "lock", with: errno)
        let error = try Self.failure(directory.path, files: files)
        #expect(error.code == .full)
        Self.expectSentence(error, naming: directory.path)
        // If only the catalogue has no room, the cache opens, so that a user can remove resources
        // and free the disk.
        let others = ScriptedFiles()
        others.fail(.open, "catalogue.sqlite", with: errno)
        try Cache(directory: directory.path, files: others).close()
    }

    @Test("a second cache on one directory is refused, also in the same process")
    func inUse() throws {
        let directory = TemporaryDirectory()
        let first = try Cache(directory: directory.path)
        let error = try Self.failure(directory.path)
        #expect(error.code == .inUse)
        #expect(error.owner == getpid())
        Self.expectSentence(error, naming: directory.path)
        first.close()
        try Cache(directory: directory.path).close()
    }

    @Test("a cache that was dropped without a close frees the directory")
    func dropped() throws {
        let directory = TemporaryDirectory()
        var first: Cache? = try Cache(directory: directory.path)
        #expect(first != nil)
        first = nil
        try Cache(directory: directory.path).close()
    }

    #if os(Linux)
    @Test("the error names the process that owns the directory")
    func inUseElsewhere() throws {
        let directory = TemporaryDirectory()
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/bin/sh")
        let path = directory.path(of: "lock")
        // The shell takes the lock by flock(1), says so, and holds it until its input ends.
        holder.arguments = [
            "-c", "exec 9>\"$0\"; flock -n 9 && echo 424242 >&9 && echo taken && read -r rest",
            path,
        ]
        let input = Pipe()
        let output = Pipe()
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        let said = output.fileHandleForReading.availableData
        #expect(String(decoding: said, as: UTF8.self) == "taken\n")
        let error = try Self.failure(directory.path)
        #expect(error.code == .inUse)
        #expect(error.owner == 424_242)
        #expect(error.message.contains("process 424242"))
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        try Cache(directory: directory.path).close()
    }

    #endif

    @Test("a link to a directory is followed")
    func link() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path(of: "real"),
            withIntermediateDirectories: false
        )
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(of: "link"),
            withDestinationPath: directory.path(of: "real")
        )
        try Cache(directory: directory.path(of: "link")).close()
        #expect(FileManager.default.fileExists(atPath: directory.path(of: "real/lock")))
    }

    @Test("a link to nowhere is refused")
    func danglingLink() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(of: "link"),
            withDestinationPath: directory.path(of: "nowhere")
        )
        let error = try Self.failure(directory.path(of: "link"))
        #expect(error.code == .io)
        Self.expectSentence(error, naming: directory.path(of: "link"))
    }

    @Test("a catalogue of a newer version is refused and left as it is")
    func newerCatalogue() throws {
        let directory = TemporaryDirectory()
        try Cache(directory: directory.path).close()
        let path = directory.path(of: "catalogue.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 99") }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = try Self.failure(directory.path)
        #expect(error.code == .newerFormat)
        Self.expectSentence(error, naming: path)
        let listing = #expect(throws: CacheError.self) {
            try Cache.resources(inDirectory: directory.path)
        }
        #expect(listing?.code == .newerFormat)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(
        "a missing or damaged catalogue is rebuilt from the journals",
        arguments: Damage.allCases
    )
    func rebuilt(damage: Damage) throws {
        var bench = try CacheBench()
        let numbers = 0..<20
        for number in numbers { try bench.keep(number, 0..<Int64(number) * 10, length: 1000) }
        let before = try bench.cache.resources()
        bench.cache.close()
        try damage.apply(to: bench.directory.path(of: "cache/catalogue.sqlite"))
        bench = try CacheBench(in: bench.directory)
        let after = try bench.cache.resources()
        func facts(_ resources: [CachedResource]) -> [String] {
            resources.map {
                "\($0.identifier) \($0.generation) \($0.display) \($0.account) \($0.heldByteCount) "
                    + "\($0.length ?? -1) \($0.created)"
            }.sorted()
        }
        #expect(facts(after) == facts(before))
        #expect(bench.cache.heldByteCount == 1900)
        for number in numbers {
            let generation = try #require(try bench.cache.open(CacheBench.key(number)))
            #expect(try generation.firstWrongByte(seed: UInt64(number)) == nil)
        }
    }

    /// Kinds of damage to a catalogue.
    enum Damage: CaseIterable {
        case removed
        case emptied
        case overwritten
        case cut
        case flipped
        case strangeTables
        case strangeRow

        func apply(to path: String) throws {
            let url = URL(fileURLWithPath: path)
            var data = try Data(contentsOf: url)
            switch self {
            case .removed: try FileManager.default.removeItem(at: url)
            case .emptied: try Data().write(to: url)
            case .overwritten: try Data("This is no database.".utf8).write(to: url)
            case .cut: try data.prefix(data.count / 2).write(to: url)
            case .flipped:
                // Marks the catalogue as after a kill, so that the next start checks all of it.
                try DatabaseQueue(path: path).write {
                    try $0.execute(sql: "UPDATE state SET clean = 0")
                }
                data = try Data(contentsOf: url)
                for place in stride(from: 4096, to: data.count, by: 7) { data[place] ^= 0x55 }
                try data.write(to: url)
            case .strangeTables:
                try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TABLE resource") }
            case .strangeRow:
                try DatabaseQueue(path: path).write {
                    try $0.execute(sql: "UPDATE resource SET identifier = 'x' WHERE held = 0")
                }
            }
        }
    }

    @Test(
        "after a kill, the journals give the rows that the catalogue lacks, and leftovers are removed"
    )
    func afterKill() throws {
        let bench = try CacheBench()
        let one = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        let two = try bench.keep(2, 0..<100)
        let withoutJournal = try bench.cache.create(
            CacheBench.key(3),
            description: ResourceDescription(length: 10),
            persistent: false
        )
        try one.write(pattern: 100..<200)
        bench.work.advance(by: .milliseconds(500))
        let directory = try bench.copied()
        let folder = directory.path(of: "cache/\(one.key.folder)/")
        let old = StoredFileName(one.key, GenerationID(rawValue: 5), .journal)
        for name in [
            "\(old)", "\(StoredFileName(one.key, GenerationID(rawValue: 5), .data))",
            "\(one.journalName).new", "notes.txt", "\(one.journalName).bak",
        ] {
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + name))
        }
        try Data([1]).write(to: URL(fileURLWithPath: directory.path(of: "cache/mine.mp3")))

        let again = try CacheBench(in: directory)
        #expect(
            again.stored == [
                "\(one.dataName)", "\(one.journalName)", "\(two.dataName)", "\(two.journalName)",
            ]
        )
        #expect(again.fileNames.isSuperset(of: ["mine.mp3", "\(one.key.folder)/notes.txt"]))
        #expect(again.fileNames.contains("\(one.key.folder)/\(one.journalName).bak"))
        #expect(!again.stored.contains("\(withoutJournal.dataName)"))
        #expect(again.cache.heldByteCount == 300)
        #expect(try again.cache.open(CacheBench.key(1))?.held == RangeSet([0..<200]))
        #expect(try again.cache.open(CacheBench.key(2))?.held == RangeSet([0..<100]))
        #expect(try again.cache.open(CacheBench.key(3)) == nil)
    }

    @Test("of two generations after a kill, the newest sound one counts")
    func twoGenerations() throws {
        let bench = try CacheBench()
        let old = try bench.keep(1, 0..<100)
        // The old journal cannot be removed after the new one was made: both are on disk.
        bench.files.fail(.remove, ".journal", with: EIO)
        let new = try bench.keep(1, 0..<50)
        #expect(bench.stored.count == 4)

        let whole = try CacheBench(in: bench.copied())
        #expect(try whole.cache.open(CacheBench.key())?.id == new.id)
        #expect(whole.stored.count == 2)

        let damaged = try bench.copied()
        let journal = new.journalName.path(in: damaged.path(of: "cache"))
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: journal))
        try FileManager.default.removeItem(atPath: damaged.path(of: "cache/catalogue.sqlite"))
        let other = try CacheBench(in: damaged)
        #expect(try other.cache.open(CacheBench.key())?.id == old.id)
        #expect(other.stored.count == 2)
    }

    @Test("a start after a close reads no journal and lists no folder")
    func cleanStart() throws {
        let bench = try CacheBench()
        for number in 0..<10 { try bench.keep(number, 0..<100) }
        bench.cache.close()
        let files = ScriptedFiles()
        files.answer { call in
            call.operation == .list || call.name.hasSuffix(".journal") ? .fails(EIO) : .goesOn
        }
        let again = try CacheBench(in: bench.directory, files: files)
        #expect(again.cache.heldByteCount == 1000)
    }

    @Test("a start after a kill reads only the journals that were being written")
    func startAfterKill() throws {
        let bench = try CacheBench()
        for number in 0..<10 { try bench.keep(number, 0..<100) }
        let open = try bench.keep(10, 0..<100, releasing: false)
        bench.work.advance(by: .milliseconds(500))
        let files = ScriptedFiles()
        let again = try CacheBench(in: bench.copied(), files: files)
        let read = files.events.filter { event in
            if case .opened(let name, .reading) = event {
                name.hasSuffix(".journal")
            } else {
                false
            }
        }
        #expect(read == [.opened("\(open.journalName)", .reading)])
        #expect(again.cache.heldByteCount == 1100)
    }

    @Test("a journal of a newer version is refused, and its files always stay")
    func newerJournal() throws {
        var bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100)
        bench.cache.close()
        let path = generation.journalName.path(in: bench.cache.directory)
        var bytes = Array(JournalFormat.magic)
        JournalFormat.append(JournalFormat.version + 1, to: &bytes)
        JournalFormat.append(Checksum().taking(bytes).value, to: &bytes)
        bytes += Array("what a newer Weir says".utf8)
        try Data(bytes).write(to: URL(fileURLWithPath: path))

        bench = try CacheBench(in: bench.directory)
        let error = #expect(throws: CacheError.self) { try bench.cache.open(CacheBench.key()) }
        #expect(error?.code == .newerFormat)
        try Self.expectSentence(#require(error), naming: path)
        let new = try bench.keep(1, 0..<10)
        try bench.cache.removeAll()
        let again = try CacheBench(in: bench.copied())
        #expect(again.stored == ["\(generation.dataName)", "\(generation.journalName)"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
        #expect(new.id != generation.id)
    }

    @Test("a directory with ten thousand resources opens without access to their files")
    func many() throws {
        let directory = TemporaryDirectory()
        let path = directory.path(of: "cache")
        try Cache(directory: path).close()
        let database = try DatabaseQueue(path: path + "/catalogue.sqlite")
        try database.write { database in
            for number in 0..<10_000 {
                try database.execute(
                    sql: """
                        INSERT INTO resource VALUES (?, ?, 'd', 'a', 10, 10, NULL, NULL, ?, 0, 1, 0, 0)
                        """,
                    arguments: [CacheBench.key(number).identifier, number, number]
                )
            }
        }
        try database.close()
        let cache = try Cache(directory: path, limits: CacheLimits(byteCount: 99_000))
        #expect(try cache.resources().count == 9900)
        #expect(cache.heldByteCount == 99_000)
        #expect(try cache.resources().last?.identifier == CacheBench.key(100).identifier)
        cache.close()
    }
}
