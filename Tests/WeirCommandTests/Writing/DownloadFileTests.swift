// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A file that a command writes")
struct DownloadFileTests {
    private let folder = TemporaryDirectory()

    private func path(_ name: String) -> String { self.folder.path(of: name) }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: self.path(name))), as: UTF8.self)
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.path(name)))
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) ?? []).sorted()
    }

    private func write(_ text: String, to name: String, isForced: Bool = false) throws {
        let file = try DownloadFile(path: self.path(name), isForced: isForced)
        try file.write(ByteMemory(Array(text.utf8)))
        try file.finish()
    }

    @Test("appears under its name when it is whole, with the mode that the user's mask allows")
    func appears() throws {
        let file = try DownloadFile(path: self.path("new"))
        try file.write(ByteMemory(Array("whole".utf8)))
        #expect(self.names.count == 1 && self.names != ["new"])
        try file.finish()
        try file.finish()
        file.discard()
        #expect(self.names == ["new"])
        #expect(try self.text("new") == "whole")
        var status = stat()
        #expect(lstat(self.path("new"), &status) == 0)
        let mask = umask(0)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    }

    @Test("a pipe whose reader has left is distinguished from a disk that fails")
    func readerHasLeft() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        let file = try DownloadFile(path: "/dev/fd/\(ends[1])")
        close(ends[0])
        #expect(throws: ReaderHasLeft.self) { try file.write(ByteMemory([1])) }
        file.discard()
        close(ends[1])
    }

    @Test("leaves nothing if it is discarded or dropped")
    func leavesNothing() throws {
        let file = try DownloadFile(path: self.path("new"))
        file.discard()
        file.discard()
        do { _ = try DownloadFile(path: self.path("other")) }
        #expect(self.names.isEmpty)
    }

    @Test("replaces a file or a link only with --force, and never the link's target")
    func replaces() throws {
        try self.put("precious", "file")
        #expect(symlink(self.path("file"), self.path("link")) == 0)
        #expect(symlink(self.path("none"), self.path("broken")) == 0)
        for name in ["file", "link", "broken"] {
            let error = #expect(throws: CommandError.self) { try self.write("new", to: name) }
            #expect(error?.status == .usage)
            #expect(error?.description.contains("--force") == true)
        }
        #expect(self.names == ["broken", "file", "link"])
        #expect(try self.text("file") == "precious")
        for name in ["link", "broken"] {
            try self.write("new", to: name, isForced: true)
            #expect(try self.text(name) == "new")
            #expect(try self.text("file") == "precious")
        }
        try self.write("new", to: "file", isForced: true)
        #expect(try self.text("file") == "new")
        #expect(self.names == ["broken", "file", "link"])
    }

    @Test("does not replace a file that another program created meanwhile")
    func race() throws {
        let file = try DownloadFile(path: self.path("new"))
        try file.write(ByteMemory(Array("mine".utf8)))
        try self.put("theirs", "new")
        let error = #expect(throws: CommandError.self) { try file.finish() }
        #expect(error?.status == .usage)
        #expect(try self.text("new") == "theirs")
        #expect(self.names == ["new"])
    }

    @Test("closes its descriptor once, also if another file has its name")
    func closesOnce() throws {
        let file = try DownloadFile(path: self.path("new"))
        try self.put("theirs", "new")
        #expect(throws: CommandError.self) { try file.finish() }
        // `open` returns the lowest free descriptor, which is the one that `finish` has just
        // closed.
        let next = open(self.path("new"), O_RDONLY | O_CLOEXEC)
        defer { close(next) }
        file.discard()
        #expect(fcntl(next, F_GETFD) >= 0)
    }

    @Test("is written into an inherited descriptor, and never into the program's own")
    func descriptors() throws {
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let given = try DownloadFile(path: "/dev/fd/\(ends[1])")
        try given.write(ByteMemory([1, 2, 3]))
        try given.finish()
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(ends[0], &bytes, 8) == 3)
        #expect(fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
        #expect(throws: CommandError.self) { try DownloadFile(path: "/dev/fd/\(ends[1])") }
    }

    @Test("is written into a device or a pipe with a reader, which stay as they are")
    func through() throws {
        let null = try DownloadFile(path: "/dev/null")
        try null.write(ByteMemory([1, 2, 3]))
        try null.finish()
        #expect(mkfifo(self.path("pipe"), 0o600) == 0)
        let reader = open(self.path("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try self.write("through", to: "pipe")
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, 16) == 7)
        #expect(self.names == ["pipe"])
    }

    @Test("waits for the reader of a pipe until the task is cancelled")
    func pipeWithoutReader() async {
        let path = self.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let task = Task { _ = try DownloadFile(path: path) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("reports a place that cannot be written")
    func failures() throws {
        try self.put("x", "file")
        for name in ["none/new", "file/new", String(repeating: "x", count: 256)] {
            let error = #expect(throws: CommandError.self) { try self.write("x", to: name) }
            #expect(error?.status == .failed)
            #expect(error?.description.contains("-o") == true)
        }
        let error = #expect(throws: CommandError.self) {
            _ = try DownloadFile(path: self.folder.path)
        }
        #expect(error?.status == .usage)
        #expect(self.names == ["file"])
    }

    @Test("of decrypted bytes is recognised by its first bytes, and noise is not")
    func content() {
        func isKnown(_ bytes: [UInt8]) -> Bool {
            var content = PlainContent()
            for start in stride(from: 0, to: bytes.count, by: 7000) {
                content.append(ByteMemory(Array(bytes[start..<min(bytes.count, start + 7000)])))
            }
            return content.isKnown
        }
        #expect(isKnown([]))
        #expect(isKnown(Array("1\r\n00:00:01,000 --> 00:00:02,000\r\nHällo\r\n".utf8)))
        // The text ends within a character.
        #expect(isKnown(Array("Hallo ä".utf8.dropLast())))
        #expect(
            isKnown([0, 0, 0, 0x18] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 100))
        )
        #expect(!isKnown([0x80]))
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            let noise = (0..<40_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(!isKnown(noise), "seed \(seed)")
            #expect(!isKnown(Array(noise.prefix(64))), "seed \(seed), short")
        }
    }
}

extension DownloadFile {
    /// Opens a file that a path names; `-` is standard output.
    convenience init(path: String, isForced: Bool = false) throws {
        try self.init(OutputTarget(option: path), isForced: isForced)
    }
}
