// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirClouds
import WeirConsole
import WeirHTTP
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The output of weir ls")
struct ListedLineTests {
    private static let noTime = String(repeating: " ", count: 16)

    private let folder = TemporaryDirectory()

    @Test(
        "size, time and name in columns; a folder has a slash, and no character moves the cursor",
        arguments: [
            (
                FolderEntry(name: "a b.mp3", kind: .file, length: 1_400_000, modifiedSeconds: 0),
                "    1.4 MB  1970-01-01 00:00  a b.mp3"
            ),
            (FolderEntry(name: "Album", kind: .folder), "         -  \(Self.noTime)  Album/"),
            (
                FolderEntry(name: "x\u{1B}[2J", kind: .file),
                "         ?  \(Self.noTime)  x?[2J"
            ),
        ]
    )
    func lines(_ entry: FolderEntry, _ line: String) {
        #expect(entry.line == line)
    }

    private func playlist(
        _ variables: [String: String] = [:],
        listen: ListenAddress? = nil
    ) throws -> (playlist: ProxiedPlaylist, secret: String) {
        var variables = variables
        variables["XDG_CONFIG_HOME"] = self.folder.path
        let environment = ProgramEnvironment(variables)
        var settings = ConfigurationSettings()
        settings.listen = listen
        let source = MediaLocation(
            name: "mine",
            placeDisplay: "",
            place: .files(FileStorage(folder: self.folder.path), only: nil),
            target: "/"
        )
        let address = try ProxiedPlaylist.address(settings, environment)
        let playlist = try ProxiedPlaylist(source, at: address, environment)
        return (playlist, try ProxySecret.stored(in: environment.configurationDirectory).text)
    }

    @Test("a playlist has two lines for a medium, with the URL at which it is served")
    func media() throws {
        let (playlist, secret) = try self.playlist()
        let entry = FolderEntry(name: "a b.mp3", kind: .file)
        #expect(
            playlist.lines(entry, at: try FolderPath("/A/a b.mp3")) == [
                "#EXTINF:-1,a b.mp3", "http://127.0.0.1:4747/\(secret)/mine/A/a%20b.mp3",
            ]
        )
    }

    @Test(
        "a playlist has no line for a folder, or for a file that is not a medium by name and type"
    )
    func others() throws {
        let (playlist, _) = try self.playlist()
        let path = try FolderPath("/x")
        for entry in [
            FolderEntry(name: "a.mp3", kind: .folder), FolderEntry(name: "a.txt", kind: .file),
            FolderEntry(name: "a", kind: .file),
        ] {
            #expect(playlist.lines(entry, at: path).isEmpty, "\(entry.name)")
        }
        let typed = FolderEntry(name: "a", kind: .file, mediaType: MediaType(fileExtension: "mp3"))
        #expect(playlist.lines(typed, at: path).count == 2)
    }

    @Test("where a server already serves the source, its address there is used")
    func running() throws {
        let folder = try OriginURL("http://h.example/music/")
        let origin = MediaLocation(
            name: "origin",
            placeDisplay: folder.display,
            place: .origin(folder),
            target: folder.path
        )
        let files = MediaLocation(
            name: "mine",
            placeDisplay: "/music",
            place: .files(FileStorage(folder: "/music"), only: nil),
            target: "/"
        )
        let page = try #require(PageAddress("http://[::1]:81/page/#0123456789abcdef"))
        let places = [
            ConsoleState.Place(name: "mine", source: "/other", url: "/s/mine/"),
            ConsoleState.Place(name: "mine", source: "/music", url: "/s/mine/"),
            ConsoleState.Place(name: "origin", source: folder.display, url: "/music/"),
        ]
        #expect(ServedPlace.base(of: files, at: page, in: places) == "http://[::1]:81/s/mine")
        #expect(ServedPlace.base(of: origin, at: page, in: places) == "http://[::1]:81")
        #expect(ServedPlace.base(of: files, at: page, in: [places[0]]) == nil)
    }

    @Test("the address comes from the variable, then from the configuration, as players reach it")
    func addresses() throws {
        let entry = FolderEntry(name: "a.mp3", kind: .file)
        let path = try FolderPath("/a.mp3")
        let listen = ListenAddress(host: "0.0.0.0", port: 8000)
        let configured = try self.playlist(listen: listen)
        #expect(
            configured.playlist.lines(entry, at: path).last
                == "http://127.0.0.1:8000/\(configured.secret)/mine/a.mp3"
        )
        let named = try self.playlist(["WEIR_LISTEN": "[::1]:9000"], listen: listen)
        #expect(
            named.playlist.lines(entry, at: path).last
                == "http://[::1]:9000/\(named.secret)/mine/a.mp3"
        )
    }
}
