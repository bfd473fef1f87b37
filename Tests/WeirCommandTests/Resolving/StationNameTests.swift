// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("The meaning of a name to a command that accepts stations")
struct StationNameTests {
    private static func read(_ text: String, stations: [String]?) throws(CommandError) -> MediaName
    {
        try MediaName(
            text,
            in: MediaName.Context(
                sources: ["cloud", "groove2"],
                stations: stations,
                file: "/c.toml",
                home: nil,
                exists: { ["groove", "song", "night: 2"].contains($0) }
            )
        )
    }

    @Test(
        "a station comes before a file of that name, and all other names keep their usual meaning",
        arguments: [
            ("groove", .station("groove")), ("night", .station("night")), ("song", .path("song")),
            ("./groove", .path("./groove")), ("cloud:/a", .source(name: "cloud", path: "/a")),
            ("icy://h:8000/x", .stationAddress("icy://h:8000/x")),
            ("ICY://h", .stationAddress("ICY://h")), ("http://h/", .url("http://h/")),
            ("night: 2", .path("night: 2")),
        ] as [(String, MediaName)]
    )
    func stations(_ text: String, _ name: MediaName) throws {
        #expect(try Self.read(text, stations: ["groove", "night"]) == name)
    }

    @Test(
        "a bare name that is no station and no file is refused, with a hint",
        arguments: [
            ("nigt", "Did you mean 'night'?"), ("clod", "Did you mean 'cloud'?"),
            ("cloud", "write cloud:/"), ("zzzz", "weir radio list shows the stations."),
        ]
    )
    func mistyped(_ text: String, _ part: String) {
        let error = #expect(throws: CommandError.self) {
            try Self.read(text, stations: ["groove", "night"])
        }
        #expect(error?.status == (text == "cloud" ? .usage : .notFound))
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test("a command without stations accepts no station, and no icy address")
    func without() throws {
        #expect(try Self.read("groove", stations: nil) == .path("groove"))
        for text in ["night", "icy://h/"] {
            #expect(throws: CommandError.self) { try Self.read(text, stations: nil) }
        }
    }
}
