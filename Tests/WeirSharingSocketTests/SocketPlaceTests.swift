// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing
import WeirSharing
import WeirSource
import WeirTestKit

@testable import WeirSharingSocket

@Suite("The location of a cache directory's socket")
struct SocketPlaceTests {
    private static let container =
        "/Users/somebody/Library/Containers/org.example.player/Data/Library/Caches/Weir/of/this/application"
    private static let temporary = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T"

    private func place(
        _ directory: String,
        _ platform: SocketPlace.Platform,
        temporary: String? = Self.temporary
    ) -> SocketPlace? {
        SocketPlace(of: directory, on: platform) { temporary }
    }

    @Test("Linux has it in the directory, and macOS too if the path is short")
    func directory() {
        let path = "/tmp/weir/owner.socket"
        #expect(self.place("/tmp/weir", .linux)?.path == path)
        #expect(self.place("/tmp/weir", .mac)?.path == path)
        #expect(self.place(Self.container, .linux)?.folder == Self.container)
    }

    @Test(
        "on macOS no path is longer than the system allows, whatever the length of the directory's"
    )
    func lengths() throws {
        for count in 1...300 {
            let directory = "/" + String(repeating: "d", count: count)
            let place = try #require(self.place(directory, .mac))
            #expect("\(place.path).4294967295".utf8.count < 104)
            #expect(place.folder == (count <= 75 ? directory : Self.temporary))
        }
    }

    @Test("a long directory gets its own name in the user's folder, the same in every process")
    func hashed() throws {
        let place = try #require(self.place(Self.container, .mac))
        #expect(place == self.place(Self.container, .mac))
        #expect(place.folder == Self.temporary)
        #expect(place.fileName.wholeMatch(of: /weir-[0-9a-f]{16}\.socket/) != nil)
        #expect(place != self.place(Self.container + "2", .mac))
        #expect(self.place(Self.container, .mac, temporary: nil) == nil)
        #expect(self.place(Self.container, .mac, temporary: Self.container) == nil)
    }

    @Test("a directory that is reached through a link has the same socket")
    func links() throws {
        let folder = TemporaryDirectory()
        let deep = "\(folder.path)/\(String(repeating: "deep", count: 25))"
        let link = "\(folder.path)/\(String(repeating: "link", count: 25))"
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: deep)
        #expect(self.place(link, .mac) == self.place(deep, .mac))
        #expect(self.place(link, .mac) != nil)
    }

    @Test("an owner is reached on a socket beside its directory, and removes it")
    func beside() async throws {
        let folder = TemporaryDirectory()
        let timeline = Timeline(ContinuousClock())
        let place = try #require(self.place(Self.container, .mac, temporary: folder.path))
        let socket = OwnerSocket(place: place, timeline: timeline)
        let server = try await socket.listen()
        let connection = try await socket.connect()
        connection.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [place.fileName])
        socket.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        await #expect(throws: PeerError.self) { _ = try await socket.connect() }
        try await server.channel.close()
    }
}
