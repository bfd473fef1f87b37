// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing
import WeirAudio
import WeirHTTP
import WeirTestKit

@testable import WeirCommand

@Suite("The user's stations")
struct StationListTests {
    private let folder = TemporaryDirectory()

    private static let text = """
        # My stations.

        # From the kitchen.
        [stations.groove]
        url = "https://radio.example/groove.pls" # the best
        headers = [
          "Authorization: Bearer x",
          "X-Y: [z]",
        ]

        # Talk.
        [stations.eho]
        charset = "windows-1251"
        url = "http://eho.example:8000"
        header-env = ["Cookie=EHO"]

        [stations."third"]
        url = "http://third.example/;"

        """

    private func list(_ text: String = Self.text) throws -> StationList {
        try StationList(file: "stations.toml", text: text)
    }

    private func station(_ name: String, _ url: String = "https://a.example/x") throws
        -> StationSettings
    {
        try RadioAddCommand.parse([name, url]).station([])
    }

    @Test("are read with all their settings")
    func read() throws {
        let list = try self.list()
        #expect(list.stations.map(\.name) == ["eho", "groove", "third"])
        let groove = try #require(list["groove"])
        #expect(groove.text == "https://radio.example/groove.pls")
        #expect(groove.headers["authorization"] == "Bearer x")
        #expect(groove.charset == nil)
        let eho = try #require(list["eho"])
        #expect(eho.text == "http://eho.example:8000/")
        #expect(eho.charset == .windows1251)
        let headers = try eho.headers.adding(
            eho.environmentHeaders,
            ProgramEnvironment(["EHO": "k=1"])
        )
        #expect(headers["cookie"] == "k=1")
        #expect(throws: CommandError.self) {
            try eho.headers.adding(eho.environmentHeaders, ProgramEnvironment([:]))
        }
    }

    @Test("an added station comes at the end, and the rest does not change")
    func add() throws {
        var station = try self.station("new", "https://a.example/x?k=\"1\"")
        station.headers = HTTPHeaderList([try HTTPHeader(name: "A", value: "b\\c\t\"d\"")])
        station.charset = .koi8r
        let text = try self.list().adding(station)
        #expect(text.hasPrefix(Self.text))
        #expect(try self.list(text)["new"] == station)
    }

    @Test("the first station makes a file that explains itself")
    func first() throws {
        let text = try self.list("").adding(
            try self.station("groove", "http://radio.example")
        )
        #expect(
            text == """
                # The stations of weir play. weir radio add and weir radio remove change this file; you may edit it.

                [stations.groove]
                url = "http://radio.example/"

                """
        )
    }

    @Test("a removed station loses its comment, and other comments and the order stay")
    func remove() throws {
        let text = try self.list().removing("groove")
        #expect(
            text == """
                # My stations.

                # Talk.
                [stations.eho]
                charset = "windows-1251"
                url = "http://eho.example:8000"
                header-env = ["Cookie=EHO"]

                [stations."third"]
                url = "http://third.example/;"

                """
        )
        let last = try self.list().removing("third")
        #expect(last.hasSuffix("header-env = [\"Cookie=EHO\"]\n"))
        #expect(try self.list(last).stations.map(\.name) == ["eho", "groove"])
    }

    @Test(
        "adding and removing a station changes a text at most in white space at its ends",
        arguments: [
            "", "# Mine.\n", Self.text, "[stations.a]\nurl = \"http://a.example/\"",
            "[stations.a]\r\nurl = \"http://a.example/\"\r\n\r\n# b\r\n",
        ]
    )
    func round(_ text: String) throws {
        let added = try self.list(text).adding(try self.station("new"))
        let removed = try self.list(added).removing("new")
        // An empty text gets a heading, which stays.
        if !text.isEmpty {
            #expect(
                removed.trimmingCharacters(in: .whitespacesAndNewlines)
                    == text.trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
        #expect(try self.list(removed).stations == self.list(text).stations)
    }

    @Test(
        "a text in an unusual form can be read, but no station can be removed from it",
        arguments: [
            "stations = { a = { url = \"http://a.example/\" } }",
            "[stations]\na.url = \"http://a.example/\"",
            "[stations]\na = { url = \"http://a.example/\" }\nb = { url = \"http://b.example/\" }",
        ]
    )
    func unwieldy(_ text: String) throws {
        let list = try self.list(text)
        #expect(list["a"] != nil)
        #expect(throws: CommandError.self) { try list.removing("a") }
    }

    @Test(
        "errors name the position and the expected value, and no secret",
        arguments: [
            ("[stations.a]\n", "stations.toml:1:1: stations.a has no url"),
            (
                "[stations.a]\nurl = \"ftp://secret\"\n",
                "stations.toml:2:1: stations.a.url must be an http"
            ),
            ("[stations.a]\nurl = \"http://a.example\"\nhedders = []\n", "did you mean headers?"),
            ("[stations.a]\nurl = \"http://a.example\"\nheaders = [\"secret\"]\n", "Name: value"),
            ("[stations.a]\nurl = \"http://a.example\"\ncharset = \"x\"\n", "must be one of utf-8"),
            ("[stations.\"a b\"]\nurl = \"http://a.example\"\n", "is not a station name"),
            ("[station.a]\nurl = \"http://a.example\"\n", "did you mean stations?"),
            ("[=]\n", "stations.toml:1:1"), ("stations = 5\n", "must be a section"),
        ]
    )
    func errors(_ text: String, _ part: String) {
        #expect {
            _ = try self.list(text)
        } throws: { error in
            let text = "\(error)"
            return text.contains(part) && !text.contains("secret")
                && [".", "?"].contains(text.last)
        }
    }

    @Test("any cut of the file gives a list or an error", .timeLimit(.minutes(1)))
    func cuts() throws {
        let bytes = Array(Self.text.utf8)
        for count in 0...bytes.count {
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            guard let list = try? self.list(text) else { continue }
            for station in list.stations {
                let rest = try? list.removing(station.name)
                if let rest { #expect(try self.list(rest)[station.name] == nil) }
            }
        }
    }

    @Test(
        "names are refused if they could mean something else",
        arguments: [
            ("a b", "letters, digits"), ("origin", "another meaning"), ("http", "another meaning"),
            ("Yandex", "is a source"),
        ]
    )
    func names(_ name: String, _ part: String) throws {
        let command = try RadioAddCommand.parse([name, "https://a.example/"])
        #expect {
            _ = try command.station(["yandex"])
        } throws: { "\($0)".contains(part) }
    }

    @Test("the error for an unknown name suggests the nearest name")
    func nearest() throws {
        let error = try self.list().noStation(called: "grove")
        #expect(error.description.contains("did you mean 'groove'?"))
        #expect(error.status == .usage)
    }

    @Test("lists show no query and no header value")
    func stations() throws {
        let station = try RadioAddCommand.parse([
            "a", "https://me:pw@a.example/x?token=secret", "--header", "Authorization: secret",
        ]).station([])
        let line = try Output.jsonLine(station.json)
        #expect(
            line
                == #"{"event":"stationName","headers":["Authorization"],"name":"a","url":"https://a.example/x"}"#
        )
        #expect(station.line(width: 3) == "a    https://a.example/x")
    }

    @Test("the file belongs to the user alone, and is replaced as a whole")
    func file() throws {
        let environment = ProgramEnvironment(["XDG_CONFIG_HOME": self.folder.path])
        #expect(try StationList.read(environment).stations == [])
        let station = try self.station("a")
        try StationList.change(environment) { list throws(CommandError) in
            try list.adding(station)
        }
        #expect(try StationList.read(environment).stations == [station])
        let path = "\(self.folder.path)/weir/stations.toml"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(throws: CommandError.self) {
            try StationList.change(environment) { list throws(CommandError) in
                throw list.noStation(called: "b")
            }
        }
        #expect(try StationList.read(environment).stations == [station])
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(self.folder.path)/weir")
        #expect(names.sorted() == ["stations.toml", "stations.toml.lock"])
    }

    @Test(
        "an address without a path means the root of its host",
        arguments: [
            ("http://a.example", "http://a.example/"),
            ("http://a.example:8000", "http://a.example:8000/"),
            ("http://a.example?x=1", "http://a.example/?x=1"),
            ("http://a.example/x", "http://a.example/x"),
            ("groove", "groove"),
        ]
    )
    func addresses(_ text: String, _ whole: String) {
        #expect(OriginURL.withPath(text) == whole)
    }
}
