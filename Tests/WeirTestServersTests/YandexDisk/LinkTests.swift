// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("Links of a Yandex.Disk")
struct LinkTests {
    @Test("a link names the second of its end, and ends then")
    func expiry() {
        var disk = Disk()
        let link = disk.link()
        let parts = link.split(separator: "/")
        #expect(parts[1].utf8.count == 64)
        #expect(Double(Int(parts[2], radix: 16) ?? 0) == disk.now + 14_400)
        #expect(link.contains("&fsize=1000&"))
        disk.now += 14_399.9
        #expect(disk.open(link).status == 200)
        disk.now += 0.1
        let gone = disk.open(link)
        #expect(gone.status == 410)
        #expect(gone.violation == nil)
        #expect(gone.value("content-type") == "text/html")
        disk.machine.behaviour.expiry = .broken
        #expect(disk.open(link).status == 500)
    }

    @Test("a body may end together with its link")
    func cutAtExpiry() {
        var disk = Disk()
        let link = disk.link()
        #expect(disk.open(link).deadline == nil)
        disk.machine.behaviour.cutsBodiesAtExpiry = true
        #expect(disk.open(link).deadline == disk.now + 14_400)
    }

    @Test("a damaged link is a 500, and a link that is used in another way is a violation")
    func damaged() {
        var disk = Disk()
        let link = disk.link()
        for index in [6, 20, 69, 71, 77, 80, 100] {
            var letters = Array(link)
            letters[index] = letters[index] == "0" ? "1" : "0"
            #expect(disk.open(String(letters)).status == 500, "\(index)")
        }
        #expect(disk.open("/").status == 500)
        #expect(disk.open("/disk/\(String(repeating: "z", count: 64))/00000000/AA").status == 500)
        #expect(disk.open(link.replacing("attachment", with: "inline")).violation != nil)
        #expect(disk.open(String(link.prefix { $0 != "?" })).violation != nil)
        #expect(disk.open(link.replacing("%3D", with: "=")).status != 200)
    }

    @Test("a part is a 206 with its range")
    func part() {
        var disk = Disk()
        let link = disk.link()
        let answer = disk.open(link, "bytes=10-19")
        #expect(answer.status == 206)
        #expect(answer.value("content-range") == "bytes 10-19/1000")
        #expect(answer.value("accept-ranges") == "bytes")
        #expect(answer.value("last-modified") == "Wed, 10 Jul 2024 16:02:35 GMT")
        #expect(answer.body.bytes == PatternBytes.bytes(in: 10..<20))
        #expect(answer.value("etag") == "\"\(ServedFile.pattern(length: 1000).md5)\"")
        let beyond = disk.open(link, "bytes=1000-")
        #expect(beyond.status == 416)
        #expect(beyond.value("content-range") == "bytes */1000")
        let empty = disk.link(to: "disk:/empty")
        #expect(disk.open(empty).status == 200)
        #expect(disk.open(empty, "bytes=0-").status == 416)
    }

    @Test("If-Range gives the part if the file is the same, and else the whole file")
    func ifRange() {
        var disk = Disk()
        let link = disk.link()
        let tag = "\"\(ServedFile.pattern(length: 1000).md5)\""
        let date = "Wed, 10 Jul 2024 16:02:35 GMT"
        for (condition, status) in [(tag, 206), (date, 206), ("W/\(tag)", 200), ("\"x\"", 200)] {
            let fields = ["Range": "bytes=0-1", "If-Range": condition]
            #expect(disk.ask(.link, link, fields).status == status, "\(condition)")
        }
        #expect(disk.ask(.link, link, ["If-Range": tag]).violation != nil)
    }

    @Test("a link leads to the bytes of the time when it was given out")
    func keepsBytes() {
        var disk = Disk()
        let old = disk.link()
        disk.machine.tree.set(DiskPath(Disk.song), .pattern(length: 1000, seed: 2))
        let new = disk.link()
        #expect(old != new)
        #expect(disk.open(old).body.bytes == PatternBytes.bytes(in: 0..<1000))
        #expect(disk.open(new).body.bytes == PatternBytes.bytes(in: 0..<1000, seed: 2))
        disk.machine.tree.set(DiskPath(Disk.song), nil)
        #expect(disk.open(old).status == 200)
        #expect(disk.api("/resources?path=disk:/Music").status == 404)
    }

    @Test("with a switch a link leads to the current bytes")
    func followsChanges() {
        var disk = Disk()
        let old = disk.link()
        disk.machine.behaviour.linksFollowChanges = true
        disk.machine.tree.set(DiskPath(Disk.song), .pattern(length: 900, seed: 2))
        #expect(disk.open(old).body.bytes == PatternBytes.bytes(in: 0..<900, seed: 2))
        disk.machine.tree.set(DiskPath(Disk.song), nil)
        #expect(disk.open(old).status == 404)
    }

    @Test(
        "requests for media that no player sends are refused",
        arguments: [
            ("Authorization", "OAuth y0_weir-test-token"), ("X-Token", "OAuth y0_weir-test-token"),
            ("Accept-Encoding", "gzip"), ("TE", "gzip"), ("Range", "bytes=0-1,4-5"),
        ]
    )
    func strictness(_ name: String, _ value: String) {
        var disk = Disk()
        let answer = disk.ask(.link, disk.link(), [name: value])
        #expect(answer.status == 400)
        #expect(answer.violation != nil)
        #expect(disk.ask(.link, disk.link(), ["Accept-Encoding": "identity"]).status == 200)
        #expect(disk.ask(.link, disk.link(), method: "HEAD").violation != nil)
        #expect(disk.open(disk.link() + "&x=\(Disk.token)").violation?.contains("token") == true)
    }

    @Test("a client must follow a redirect with its range and without secrets")
    func redirect() throws {
        var disk = Disk(.once(.linkRedirected))
        let link = disk.link()
        let redirect = disk.open(link, "bytes=5-")
        #expect(redirect.status == 302)
        #expect(redirect.value("location") == "http://\(Disk.authority(of: .other))\(link)")
        #expect(disk.ask(.other, link).violation != nil)
        let range = ["Range": "bytes=5-"]
        #expect(disk.ask(.other, link, range).body.bytes == PatternBytes.bytes(in: 5..<1000))
        for (name, value) in [("Cookie", "yandexuid=weir"), ("Authorization", "OAuth x")] {
            #expect(disk.ask(.other, link, range.merging([name: value]) { $1 }).violation != nil)
        }
        #expect(disk.ask(.other, "/elsewhere").violation != nil)
    }
}
