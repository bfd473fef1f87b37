// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirClouds
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The places to which a command may write")
struct OutputTargetTests {
    private static let occupants: [FileKind] = [
        .nothing, .file, .folder, .device, .pipe, .other, .link(to: .nothing), .link(to: .file),
        .link(to: .folder), .link(to: .device), .link(to: .pipe), .link(to: .other),
    ]

    /// The way in which the command writes the target, as a word.
    private static func way(_ target: OutputTarget, _ kind: FileKind, _ isForced: Bool)
        -> String
    {
        do {
            switch try target.way(kind, isForced: isForced) {
            case .file(let isReplacing): return isReplacing ? "replaced" : "new"
            case .through: return "through"
            case .descriptor: return "open"
            }
        } catch {
            return error.status == .usage ? "refused" : "failed"
        }
    }

    @Test(
        "existing files are not replaced or followed without --force; named devices and pipes are written to"
    )
    func table() {
        let chosen = OutputTarget.chosen("x")
        let offered = OutputTarget.offered("x")
        let rows: [(FileKind, String, String, String, String)] = [
            (.nothing, "new", "replaced", "new", "replaced"),
            (.file, "refused", "replaced", "refused", "replaced"),
            (.folder, "refused", "refused", "refused", "refused"),
            (.device, "through", "through", "refused", "refused"),
            (.pipe, "through", "through", "refused", "refused"),
            (.other, "refused", "refused", "refused", "refused"),
            (.link(to: .nothing), "refused", "replaced", "refused", "replaced"),
            (.link(to: .file), "refused", "replaced", "refused", "replaced"),
            (.link(to: .folder), "refused", "replaced", "refused", "replaced"),
            (.link(to: .device), "through", "through", "refused", "replaced"),
            (.link(to: .pipe), "through", "through", "refused", "replaced"),
            (.link(to: .other), "refused", "replaced", "refused", "replaced"),
        ]
        #expect(rows.map(\.0) == Self.occupants)
        for (kind, plain, forced, other, otherForced) in rows {
            #expect(Self.way(chosen, kind, false) == plain, "\(kind)")
            #expect(Self.way(chosen, kind, true) == forced, "\(kind), forced")
            #expect(Self.way(offered, kind, false) == other, "\(kind), offered")
            #expect(
                Self.way(offered, kind, true) == otherForced,
                "\(kind), offered, forced"
            )
        }
    }

    @Test("the error names the options that help")
    func sentences() {
        for kind in [FileKind.file, .link(to: .nothing)] {
            #expect {
                _ = try OutputTarget.chosen("film.mp4").way(kind, isForced: false)
            } throws: { error in
                ["film.mp4", "-o", "--force"].allSatisfy { "\(error)".contains($0) }
            }
        }
    }

    @Test("a hyphen means standard output where the user writes it, and nowhere else")
    func hyphen() {
        #expect(OutputTarget(option: "-") == .standardOutput)
        #expect(OutputTarget(offered: "-") == .offered("download"))
        #expect(OutputTarget(offered: nil, otherwise: "3fa9") == .offered("3fa9"))
        #expect(OutputTarget(offered: ".bashrc") == .offered("bashrc"))
        #expect(OutputTarget(offered: "/dev/stdout") == .offered("stdout"))
    }

    @Test("a listed file gets the bytes of its name, and two files never get one name")
    func listedNames() throws {
        #if !canImport(Darwin)
        let folder = TemporaryDirectory()
        let names = ["caf\\xE9.mp4", "caf\\xE8.mp4", "x\\y.mp4", "\u{E9}.mp4", "e\u{301}.mp4"]
        for name in names {
            let target = OutputTarget(listed: name, in: folder.path)
            let file = try DownloadFile(target, isForced: false)
            try file.finish()
            #expect(FileKind(target.place) == .file)
            #expect(target.place.lastName == FolderPath.bytes(ofName: name))
            #expect(target.path == "\(folder.path)/\(name)")
        }
        #endif
        #expect(OutputTarget(listed: "a.mp4", copy: 2, in: "d").path == "d/a (2).mp4")
    }

    @Test("names of open descriptors mean these descriptors")
    func descriptors() throws {
        #expect(try OutputTarget.chosen("/dev/stdout").way(isForced: false) == .descriptor(1))
        #expect(try OutputTarget.chosen("/dev/stderr").way(isForced: true) == .descriptor(2))
        #expect(try OutputTarget.chosen("/dev/fd/63").way(isForced: false) == .descriptor(63))
    }

    @Test("the entry at a path is examined without following it")
    func occupants() throws {
        let folder = TemporaryDirectory()
        func path(_ name: String) -> String { folder.path(of: name) }
        try Data("x".utf8).write(to: URL(fileURLWithPath: path("file")))
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        for (name, end) in [("good", "file"), ("broken", "none"), ("null", "/dev/null")] {
            #expect(symlink(end.hasPrefix("/") ? end : path(end), path(name)) == 0)
        }
        #expect(FileKind(path: path("none")) == .nothing)
        #expect(FileKind(path: path("file")) == .file)
        #expect(FileKind(path: folder.path) == .folder)
        #expect(FileKind(path: path("pipe")) == .pipe)
        #expect(FileKind(path: "/dev/null") == .device)
        #expect(FileKind(path: path("good")) == .link(to: .file))
        #expect(FileKind(path: path("broken")) == .link(to: .nothing))
        #expect(FileKind(path: path("null")) == .link(to: .device))
        #expect(FileKind(path: path("file/x")) == .inaccessible(ENOTDIR))
    }

    /// The names that an origin or the cache chooses for files of `get`, `export` and recordings.
    ///
    /// `seal` and `wav:` write under names that the user gives.
    private static func names(_ text: String) -> [String] {
        let identifier = "0123456789abcdef0123456789abcdef"
        return [
            OutputTarget(offered: text).path,
            OutputTarget(offered: text, otherwise: identifier).path,
        ]
    }

    @Test(
        "no name from outside leaves the folder, hides a file or is an option",
        arguments: 0..<300
    )
    func names(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "/", "\\", "..", ".", "-", "--", "\0", "\n", "\u{202E}", "\u{301}", ".bashrc", "con",
            "~", " ", "x",
            "語", "🎵", ".mp3", "/dev/null", "authorized_keys", String(repeating: "ü", count: 130),
        ]
        let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in
            parts.randomElement(using: &random) ?? ""
        }.joined()
        for name in Self.names(text) {
            let bytes = Array(name.utf8)
            #expect(!bytes.isEmpty && bytes.count <= 255)
            #expect(bytes.first != UInt8(ascii: ".") && bytes.first != UInt8(ascii: "-"))
            #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F || $0 == 0x5C })
        }
    }
}
