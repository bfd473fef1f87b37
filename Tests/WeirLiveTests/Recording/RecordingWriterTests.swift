// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

/// Recordings on a real disk.
@Suite struct RecordingWriterTests {
    private static let files = FileManager.default

    private static func list(_ folder: TemporaryDirectory) throws -> [String] {
        try self.files.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static func bytes(_ folder: TemporaryDirectory, _ name: String) -> [UInt8]? {
        self.files.contents(atPath: folder.path(of: name)).map { Array($0) }
    }

    private static func all(_ events: AsyncStream<RecordingEvent>) async -> [RecordingEvent] {
        await events.reduce(into: []) { $0.append($1) }
    }

    /// Three songs with any titles.
    private static func tape(_ titles: [String] = ["A - a", "B - b", "C - c"]) -> RecordingTape {
        var tape = RecordingTape(chunk: 500)
        tape.connect(container: .mpegAudio, title: titles[0])
        for (number, title) in titles.enumerated() {
            if number > 0 { tape.title(title) }
            tape.play(NumberedFrames.frames(number * 10..<number * 10 + 10))
        }
        return tape
    }

    @Test("Files have the titles as names, and together they are the stream")
    func songs() async throws {
        let folder = TemporaryDirectory()
        let writer = try RecordingWriter(folder: folder.path, station: "Radio")
        for piece in Self.tape().sounds { writer.take(piece) }
        // The last file is still being written, as its name shows.
        #expect(try Self.list(folder) == ["01 A - a.mp3", "02 B - b.mp3", "03 C - c.mp3.part"])
        writer.finish()
        writer.finish()
        let names = ["01 A - a.mp3", "02 B - b.mp3", "03 C - c.mp3"]
        #expect(try Self.list(folder) == names)
        let bytes = names.flatMap { Self.bytes(folder, $0) ?? [] }
        #expect(NumberedFrames.numbers(bytes) == Array(0..<30))
        // A reader that starts late gets all events, too.
        let events = await Self.all(writer.events())
        let titles = ["A - a", "B - b", "C - c"]
        #expect(
            events
                == zip(names, titles).flatMap { name, title -> [RecordingEvent] in
                    let file = URL(filePath: folder.path(of: name))
                    return [
                        .began(file: file, title: title),
                        .ended(file: file, title: title, byteCount: 10 * 144),
                    ]
                }
        )
        #expect(writer.isOver)
    }

    @Test("No existing file is replaced, and no link is followed")
    func noOverwrite() throws {
        let folder = TemporaryDirectory()
        let other = TemporaryDirectory()
        let target = other.path(of: "target")
        #expect(Self.files.createFile(atPath: folder.path(of: "01 A - a.mp3"), contents: Data([1])))
        #expect(
            Self.files.createFile(
                atPath: folder.path(of: "01 A - a (2).mp3.part"),
                contents: Data([2])
            )
        )
        for name in ["02 B - b.mp3", "03 C - c.mp3.part"] {
            try Self.files.createSymbolicLink(
                atPath: folder.path(of: name),
                withDestinationPath: target
            )
        }
        let writer = try RecordingWriter(folder: folder.path + "//", station: "Radio")
        for piece in Self.tape().sounds { writer.take(piece) }
        // Another program takes the name while the recording writes the file.
        #expect(
            Self.files.createFile(atPath: folder.path(of: "06 C - c.mp3"), contents: Data([3]))
        )
        writer.finish()
        #expect(
            try Self.list(folder) == [
                "01 A - a (2).mp3.part", "01 A - a.mp3", "02 B - b.mp3", "03 C - c.mp3.part",
                "04 A - a.mp3", "05 B - b.mp3", "06 C - c (2).mp3", "06 C - c.mp3",
            ]
        )
        #expect(Self.bytes(folder, "01 A - a.mp3") == [1])
        #expect(Self.bytes(folder, "06 C - c.mp3") == [3])
        #expect(Self.bytes(folder, "06 C - c (2).mp3")?.count == 1440)
        #expect(!Self.files.fileExists(atPath: target))
    }

    @Test("Two recordings into one folder share no number, at the same time or one after the other")
    func sharedFolder() throws {
        let folder = TemporaryDirectory()
        let writers = try ["One", "Two"].map {
            try RecordingWriter(folder: folder.path, station: $0)
        }
        for piece in Self.tape(["A", "B"]).sounds { for writer in writers { writer.take(piece) } }
        for writer in writers { writer.finish() }
        let third = try RecordingWriter(folder: folder.path, station: "Three")
        for piece in Self.tape(["A"]).sounds { third.take(piece) }
        third.finish()
        let numbers = try Self.list(folder).map { $0.prefix(3) }
        #expect(numbers == ["01 ", "02 ", "03 ", "04 ", "05 "])
    }

    @Test("An option replaces the files and links of an earlier recording, and nothing else")
    func replaces() throws {
        let folder = TemporaryDirectory()
        let target = folder.path(of: "precious")
        #expect(Self.files.createFile(atPath: target, contents: Data([7])))
        #expect(Self.files.createFile(atPath: folder.path(of: "01 A - a.mp3"), contents: Data([1])))
        try Self.files.createSymbolicLink(
            atPath: folder.path(of: "02 B - b.mp3"),
            withDestinationPath: target
        )
        try Self.files.createDirectory(
            atPath: folder.path(of: "03 C - c.mp3"),
            withIntermediateDirectories: false
        )
        let writer = try RecordingWriter(
            folder: folder.path,
            station: "Radio",
            isReplacing: true
        )
        for piece in Self.tape().sounds { writer.take(piece) }
        #expect(Self.bytes(folder, "01 A - a.mp3") != [1])
        writer.finish()
        #expect(
            try Self.list(folder) == [
                "01 A - a.mp3", "02 B - b.mp3", "03 C - c (2).mp3", "03 C - c.mp3", "precious",
            ]
        )
        #expect(Self.bytes(folder, "01 A - a.mp3")?.count ?? 0 > 100)
        #expect(Self.bytes(folder, "precious") == [7])
    }

    @Test("Hostile titles stay in the folder")
    func hostile() throws {
        let folder = TemporaryDirectory()
        let inner = folder.path(of: "inner")
        let writer = try RecordingWriter(folder: inner, station: "Radio")
        let titles = [
            "../../x", "a\nb", String(repeating: "é", count: 1900), "...", "/etc/passwd", "",
        ]
        for piece in Self.tape(titles).sounds { writer.take(piece) }
        writer.finish()
        #expect(try Self.list(folder) == ["inner"])
        let names = try Self.files.contentsOfDirectory(atPath: inner)
        #expect(names.count == 6)
        #expect(names.contains("01 _.._x.mp3"))
        #expect(names.contains("04 Radio.mp3"))
    }

    @Test("A folder that is removed ends the recording, and nothing else")
    func folderGone() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "gone")
        let writer = try RecordingWriter(folder: path, station: "Radio")
        let pieces = Self.tape().sounds
        for piece in pieces.prefix(5) { writer.take(piece) }
        try Self.files.removeItem(atPath: path)
        for piece in pieces.dropFirst(5) { writer.take(piece) }
        #expect(writer.isOver)
        let events = await Self.all(writer.events())
        guard case .failed(let sentence)? = events.last else { return #expect(Bool(false)) }
        #expect(sentence.contains(path))
        #expect(!Self.files.fileExists(atPath: path))
    }

    @Test("A folder that cannot be created is refused at once")
    func noFolder() throws {
        let folder = TemporaryDirectory()
        let file = folder.path(of: "file")
        #expect(Self.files.createFile(atPath: file, contents: nil))
        for path in [file, "\(file)/in", folder.path(of: "no/place"), "/proc/nothing"] {
            #expect(throws: RecordingError.self) {
                try RecordingWriter(folder: path, station: "Radio")
            }
        }
    }

    #if os(Linux)
    @Test("The message about a full disk has the file's path")
    func full() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let file = OpenRecording(descriptor: descriptor, path: "a/b.mp3", title: nil)
        do throws(RecordingError) {
            try file.write(ByteMemory([1, 2, 3]), at: 0)
            Issue.record("a full disk took bytes")
        } catch {
            #expect(error.message.contains("a/b.mp3"))
        }
    }
    #endif

    #if os(Linux)
    @Test(
        "A disk that fills up ends the recording, and the written bytes are kept",
        arguments: [0, 3]
    )
    func fillsUp(pieces count: Int) async throws {
        let place = TemporaryDirectory()
        let folder = try RecordingFolder(place.path)
        let descriptor = Mutex<CInt>(-1)
        let writer = RecordingWriter(folder, station: "Radio") { (file) throws(RecordingError) in
            let path = place.path(of: file.name(station: "Radio"))
            let made = open(path + ".part", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            descriptor.withLock { $0 = made }
            if count == 0 { Self.fill(made) }
            return OpenRecording(descriptor: made, path: path, title: file.title)
        }
        let pieces = Self.tape(["A", "A", "A"]).sounds
        for piece in pieces.prefix(count) { writer.take(piece) }
        if count > 0 { descriptor.withLock { Self.fill($0) } }
        for piece in pieces.dropFirst(count) { writer.take(piece) }
        let events = await Self.all(writer.events())
        guard case .failed(let sentence)? = events.last else { return #expect(Bool(false)) }
        #expect(sentence.contains("01 A.mp3"))
        #expect(writer.isOver)
        #expect(try Self.list(place) == (count == 0 ? [] : ["01 A.mp3"]))
        guard count > 0 else { return }
        let numbers = NumberedFrames.numbers(Self.bytes(place, "01 A.mp3") ?? [])
        #expect(numbers?.isEmpty == false)
        #expect(numbers == Array(0..<(numbers?.count ?? 0)))
    }

    /// Replaces a file's descriptor by a full disk.
    private static func fill(_ descriptor: CInt) {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        dup2(full, descriptor)
        close(full)
    }
    #endif

    @Test("A recording that is dropped keeps its files")
    func dropped() throws {
        let folder = TemporaryDirectory()
        do {
            let writer = try RecordingWriter(folder: folder.path, station: "Radio")
            for piece in Self.tape(["A"]).sounds { writer.take(piece) }
        }
        #expect(try Self.list(folder) == ["01 A.mp3"])
    }

    @Test("A recording follows its listener until it is stopped")
    func following() async throws {
        let folder = TemporaryDirectory()
        let pieces = ScriptedPieces()
        let writer = try RecordingWriter(folder: folder.path, station: "Radio")
        let recording = StationRecording(pieces, writer, executor: nil)
        let tape = Self.tape()
        pieces.give(tape.sounds)
        try await pieces.waitUntilTaken(tape.sounds.count)
        #expect(!recording.isOver)
        await recording.stop()
        #expect(recording.isOver)
        #expect(pieces.isCancelled)
        #expect(try Self.list(folder) == ["01 A - a.mp3", "02 B - b.mp3", "03 C - c.mp3"])
        let events = await Self.all(recording.events())
        #expect(events.count == 6)
        await recording.stop()
    }

    @Test(
        "A station that ends also ends its recording; a recording that is dropped leaves the station"
    )
    func losses() async throws {
        let folder = TemporaryDirectory()
        let lost = ScriptedPieces(
            sounds: Self.tape(["A"]).sounds,
            end: .failure(StationError(.refused, "No."))
        )
        let writer = try RecordingWriter(folder: folder.path, station: "Radio")
        let recording = StationRecording(lost, writer, executor: nil)
        let events = await Self.all(recording.events())
        #expect(events.count == 2)
        #expect(try Self.list(folder) == ["01 A.mp3"])
        let held = ScriptedPieces(sounds: Self.tape(["B"]).sounds)
        let other = try RecordingWriter(folder: folder.path, station: "Radio")
        var dropped: StationRecording? = StationRecording(held, other, executor: nil)
        let feed = dropped?.events()
        dropped = nil
        if let feed { _ = await Self.all(feed) }
        #expect(held.isCancelled)
        #expect(try Self.list(folder).count <= 2)
    }
}
