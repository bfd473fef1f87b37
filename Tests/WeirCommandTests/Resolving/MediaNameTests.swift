// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The meaning of a name on the command line")
struct MediaNameTests {
    private static let names = ["yandex", "cloud", "my-nas_2"]
    private static let existing: Set<String> = [
        "a.mp3", "folder", "cloud", "b: c.mp3", "yandex:local", "Song: one?.mp3",
    ]

    private static func read(_ text: String, stations: [String]? = nil) throws(CommandError)
        -> MediaName
    {
        try MediaName(
            text,
            in: MediaName.Context(
                sources: self.names,
                stations: stations,
                file: "/c.toml",
                home: "/home/me",
                exists: self.existing.contains
            )
        )
    }

    @Test(
        "a URL, a path, or NAME:PATH of a source",
        arguments: [
            ("http://h/a?b", .url("http://h/a?b")),
            ("HTTPS://h/%2f", .url("HTTPS://h/%2f")),
            ("file:///a%20b/c", .path("/a b/c")),
            ("file:/a", .path("/a")),
            ("FILE://localhost/a", .path("/a")),
            ("/not/there", .path("/not/there")),
            ("./yandex:x", .path("./yandex:x")),
            ("../x", .path("../x")),
            (".", .path(".")),
            ("~", .path("/home/me")),
            ("~/Music", .path("/home/me/Music")),
            ("~you/Music", .path("~you/Music")),
            ("a.mp3", .path("a.mp3")),
            ("cloud", .path("cloud")),
            ("b: c.mp3", .path("b: c.mp3")),
            ("Song: one?.mp3", .path("Song: one?.mp3")),
            ("yandex:", .source(name: "yandex", path: "/")),
            ("yandex:/", .source(name: "yandex", path: "/")),
            ("yandex:local", .source(name: "yandex", path: "/local")),
            ("cloud:/A b/%C3%A4//..?x=1#y", .source(name: "cloud", path: "/A b/%C3%A4//..?x=1#y")),
            ("my-nas_2:a:b", .source(name: "my-nas_2", path: "/a:b")),
            ("yandex://x", .source(name: "yandex", path: "//x")),
            ("cloud:\u{301}a", .source(name: "cloud", path: "/\u{301}a")),
        ] as [(String, MediaName)]
    )
    func names(_ text: String, _ name: MediaName) throws {
        let read = try Self.read(text)
        #expect(read == name)
        if case .source(_, let path) = read, case .source(_, let expected) = name {
            #expect(Array(path.utf8) == Array(expected.utf8))
        }
    }

    @Test(
        "anything else is an error that names the likely meaning",
        arguments: [
            ("yandx:/a", "did you mean 'yandex'?"), ("zzz:/a", "There is no source called 'zzz'."),
            ("yandex", "write yandex:/"), ("clout", "Did you mean cloud:/?"),
            ("nothing.mp3", "no file or folder 'nothing.mp3'"), ("", "a thing is"),
            ("ftp://h/a", "does not speak ftp"), ("localhost:8080/a", "begin with http://"),
            ("file://host/a", "file:///PATH"), ("file:a", "file:///PATH"),
            ("x y:z", "no file or folder"), ("zzz:/a?token=hush", "/c.toml"),
            ("h.example/a?token=hush", "no file or folder 'h.example/a'"),
            ("ftp://me:hush@h/", "does not speak ftp"), ("file:///a%00b", "file:///PATH"),
        ]
    )
    func failures(_ text: String, _ part: String) {
        let error = #expect(throws: CommandError.self) { try Self.read(text) }
        // A name that may be a missing file has the status of a missing file.
        let isMissing = error?.description.contains("There is no file or folder") == true
        #expect(error?.status == (isMissing ? .notFound : .usage))
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("hush") == false)
    }
}
