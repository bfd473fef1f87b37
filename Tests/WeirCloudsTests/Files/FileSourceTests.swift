// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirClouds
import WeirSource
import WeirTestKit

@Suite("A file of this machine")
struct FileSourceTests {
    private let folder = TemporaryDirectory()
    private var path: String { self.folder.path(of: "a.mp3") }
    private static let bytes = PatternBytes.bytes(in: 0..<3_000_000)

    private func write(_ bytes: [UInt8], to name: String = "a.mp3") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: self.folder.path(of: name)))
    }

    /// Writes into the file in place, with a modification time that no earlier write has.
    private func overwrite(_ bytes: [UInt8], at offset: UInt64 = 0, second: Double = 2e9) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: self.path))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: second)],
            ofItemAtPath: self.path
        )
    }

    private func collect(_ source: FileSource, _ range: RequestedRange = .whole) async throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(ReadDemand(range)) {
            bytes += try chunk.bytes()
        }
        return bytes
    }

    @Test("is read as slices of itself, and its description has its version")
    func reads() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let description = try await source.describe()
        #expect(description.length == 3_000_000 && description.name == "a.mp3")
        #expect(description.acceptsRanges == true && description.validator != nil)
        let isEqual = try await self.collect(source) == Self.bytes
        #expect(isEqual)
        let part = try await self.collect(source, .suffix(5))
        #expect(part == Array(Self.bytes.suffix(5)))
        for try await chunk in try await source.read(ReadDemand(.from(0))) {
            guard case .resident(let slice) = chunk.content else {
                Issue.record("a copy")
                return
            }
            #expect(
                slice.file.descriptor == nil,
                "Weir cannot check bytes that the system sends from the file"
            )
            #expect(chunk.count <= 1 << 20)
        }
    }

    @Test("has nothing past its end, and no bytes when it is empty")
    func hasEnds() async throws {
        try self.write([])
        let source = FileSource(path: self.path)
        #expect(try await source.describe().length == 0)
        #expect(try await self.collect(source).isEmpty)
        #expect(try await self.collect(source, .suffix(5)).isEmpty)
        #expect(source.residentSlice(.whole) == nil)
        #expect(source.availability.length == 0 && source.availability.held.isEmpty)
        let past = await thrownError { _ = try await self.collect(source, .from(1)) }
        #expect(past?.code == .rangeNotSatisfiable && past?.length == 0)
        let negative = await thrownError { _ = try await self.collect(source, .from(-1)) }
        #expect(negative?.code == .invalidRequest)
    }

    @Test("lends slices only after its first opening")
    func lends() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        #expect(source.residentSlice(.whole) == nil && source.availability.length == nil)
        _ = try await source.describe()
        let slice = try #require(source.residentSlice(.span(5..<9)))
        #expect(slice.range == 5..<9 && slice.fileOffset == 5)
        let isEqual = try slice.load().withUnsafeBytes { Array($0) } == Array(Self.bytes[5..<9])
        #expect(isEqual)
        #expect(source.residentSlice(.from(3_000_000)) == nil)
        #expect(source.residentSlice(.from(3_000_001)) == nil)
        #expect(source.availability.held == RangeSet([0..<3_000_000]))
    }

    @Test(
        "that a rename replaces stays readable for its reader, and the next one gets the new file"
    )
    func isReplaced() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let before = try await source.describe()
        let iterator = try await source.read(ReadDemand(.whole)).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        try self.write([1, 2, 3], to: "new")
        #expect(rename(self.folder.path(of: "new"), self.path) == 0)
        #expect(source.residentSlice(.whole) == nil)
        var bytes = try first.bytes()
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        let isEqual = bytes == Self.bytes
        #expect(isEqual)
        let after = try await source.describe()
        #expect(after.length == 3 && after.validator != before.validator)
        let pinned = await thrownError {
            _ = try await source.read(ReadDemand(.whole, version: before.version))
        }
        #expect(pinned?.code == .changed)
        #expect(try await self.collect(source) == [1, 2, 3])
    }

    @Test("that is written in place during a read is changed, also for an earlier chunk")
    func isWritten() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let iterator = try await source.read(ReadDemand(.whole)).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        try self.overwrite([0, 0, 0])
        #expect(throws: SourceError.self) { try first.bytes() }
        let error = await thrownError { _ = try await iterator.next() }
        #expect(error?.code == .changed && source.residentSlice(.whole) == nil)
        #expect(try await self.collect(source).prefix(3) == [0, 0, 0])
    }

    @Test("that is written in place is changed, even with its earlier time restored")
    func isDisguised() async throws {
        try self.write(Self.bytes)
        var before = stat()
        #expect(stat(self.path, &before) == 0)
        let source = FileSource(path: self.path)
        let description = try await source.describe()
        let iterator = try await source.read(ReadDemand(.whole)).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        // The file system's clock advances in steps, so the test writes until the change time
        // differs.
        var now = before
        while now.changed.tv_sec == before.changed.tv_sec
            && now.changed.tv_nsec == before.changed.tv_nsec
        {
            try self.overwrite([0, 0, 0])
            var times = [before.accessed, before.modified]
            #expect(utimensat(AT_FDCWD, self.path, &times, 0) == 0)
            #expect(stat(self.path, &now) == 0)
        }
        #expect(now.modified.tv_sec == before.modified.tv_sec && now.st_size == before.st_size)
        #expect(throws: SourceError.self) { try first.bytes() }
        #expect(await thrownError { _ = try await iterator.next() }?.code == .changed)
        #expect(source.residentSlice(.whole) == nil)
        #expect(try await source.describe().validator != description.validator)
    }

    @Test("that gets a hard link stays readable, and a later write is a change")
    func isLinked() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let iterator = try await source.read(ReadDemand(.whole)).makeAsyncIterator()
        _ = try await iterator.next()
        #expect(link(self.path, self.folder.path(of: "other")) == 0)
        #expect(try await iterator.next()?.range.lowerBound == 1 << 20)
        try self.overwrite([0])
        #expect(await thrownError { _ = try await iterator.next() }?.code == .changed)
    }

    @Test("that is cut short during a read is changed")
    func isCut() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let iterator = try await source.read(ReadDemand(.whole)).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(truncate(self.path, 100) == 0)
        let error = #expect(throws: SourceError.self) { try first.bytes() }
        #expect(error?.code == .changed)
        #expect(await thrownError { _ = try await iterator.next() }?.code == .changed)
    }

    @Test("that is deleted stays readable for a running reader, and the next one does not find it")
    func isDeleted() async throws {
        try self.write(Self.bytes)
        let source = FileSource(path: self.path)
        let reading = try await source.read(ReadDemand(.whole))
        #expect(unlink(self.path) == 0)
        var count = 0
        for try await chunk in reading { count += try chunk.bytes().count }
        #expect(count == 3_000_000)
        let error = await thrownError { _ = try await source.describe() }
        #expect(error?.code == .notFound && error?.message.contains(self.path) == true)
    }

    @Test("is refused if it is a folder, a pipe, a circle of links, or below a file")
    func isNone() async throws {
        let folder = await thrownError {
            _ = try await FileSource(path: self.folder.path, display: "nas:/").describe()
        }
        #expect(folder?.code == .invalidRequest && folder?.message.contains("nas:/") == true)
        let pipe = self.folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let noFile = await thrownError { _ = try await FileSource(path: pipe).describe() }
        #expect(noFile?.code == .invalidRequest)
        let circle = self.folder.path(of: "circle")
        #expect(symlink(circle, circle) == 0)
        let endless = await thrownError { _ = try await FileSource(path: circle).describe() }
        #expect(endless?.code == .originFailed)
        try self.write([1])
        let below = await thrownError {
            _ = try await FileSource(path: "\(self.path)/x").describe()
        }
        #expect(below?.code == .notFound)
    }

    @Test("is the target of a symbolic link")
    func followsLinks() async throws {
        try self.write([1, 2, 3])
        let link = self.folder.path(of: "link.mp3")
        #expect(symlink(self.path, link) == 0)
        #expect(try await self.collect(FileSource(path: link)) == [1, 2, 3])
        #expect(try await FileSource(path: link).describe().name == "link.mp3")
    }

    @Test("is forbidden to a user without permission", .enabled(if: geteuid() != 0))
    func isForbidden() async throws {
        try self.write([1])
        #expect(chmod(self.path, 0) == 0)
        let error = await thrownError { _ = try await FileSource(path: self.path).describe() }
        #expect(error?.code == .forbidden)
    }

    @Test("gives nothing to a cancelled reader")
    func isLeft() async throws {
        try self.write(Self.bytes)
        let iterator = try await FileSource(path: self.path).read(ReadDemand(.whole))
            .makeAsyncIterator()
        iterator.cancel()
        await #expect(throws: CancellationError.self) { _ = try await iterator.next() }
    }
}

extension stat {
    #if canImport(Darwin)
    fileprivate var accessed: timespec { self.st_atimespec }
    fileprivate var modified: timespec { self.st_mtimespec }
    fileprivate var changed: timespec { self.st_ctimespec }
    #else
    fileprivate var accessed: timespec { self.st_atim }
    fileprivate var modified: timespec { self.st_mtim }
    fileprivate var changed: timespec { self.st_ctim }
    #endif
}
