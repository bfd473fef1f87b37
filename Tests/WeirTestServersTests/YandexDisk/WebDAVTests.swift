// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("WebDAV of a Yandex.Disk")
struct WebDAVTests {
    private static let token = ["Authorization": "OAuth \(Disk.token)"]

    private func propfind(
        _ disk: inout Disk,
        _ path: String,
        depth: String? = "0",
        _ body: String = ""
    ) -> ServerAnswer {
        var fields = Self.token
        fields["Depth"] = depth
        return disk.ask(.webdav, path, fields, method: "PROPFIND", body: body)
    }

    @Test("a folder is listed with its children, with escaped references")
    func listing() {
        var disk = Disk(files: ["/Музыка/a b.mp3": .text("x"), "/Музыка/c&d": .text("y")])
        let answer = self.propfind(&disk, "/%D0%9C%D1%83%D0%B7%D1%8B%D0%BA%D0%B0/", depth: "1")
        #expect(answer.status == 207)
        let folder = "/%D0%9C%D1%83%D0%B7%D1%8B%D0%BA%D0%B0/"
        for href in [folder, "\(folder)a%20b.mp3", "\(folder)c%26d"] {
            #expect(answer.text.contains("<d:href>\(href)</d:href>"), "\(href)")
        }
        #expect(answer.text.contains("<d:displayname>c&amp;d</d:displayname>"))
        #expect(answer.text.contains("<d:resourcetype><d:collection/></d:resourcetype>"))
        #expect(self.propfind(&disk, "/").text.matches(of: /<d:response>/).count == 1)
    }

    @Test("existing and missing properties are in separate blocks")
    func propstats() {
        var disk = Disk()
        let body = """
            <?xml version="1.0"?><!-- a comment -->
            <propfind xmlns="DAV:" xmlns:o='urn:x'><prop>
            <getetag/><o:checksum></o:checksum><getcontentlength/></prop></propfind>
            """
        let text = self.propfind(&disk, "/Music/a%20song.mp3", body).text
        let md5 = ServedFile.pattern(length: 1000).md5
        #expect(
            text.contains(
                "HTTP/1.1 200 OK</d:status><d:prop><d:getetag>\(md5)</d:getetag>"
                    + "<d:getcontentlength>1000</d:getcontentlength></d:prop>"
            )
        )
        #expect(
            text.contains(
                "HTTP/1.1 404 Not Found</d:status><d:prop><x:checksum xmlns:x=\"urn:x\"/>"
            )
        )
    }

    @Test(
        "a body that is not a propfind is refused",
        arguments: [
            "{}", "<propfind/>", "<d:propfind xmlns:d='DAV:'>", "<propfind xmlns='DAV:'/>",
            "<d:propfind xmlns='DAV:'/>", "<a xmlns='DAV:'><allprop/></a>",
            "<propfind xmlns='DAV:'><b></c></propfind>",
            "<propfind xmlns='DAV:'><allprop/></propfind>x", "<", "<propfind xmlns=DAV:>",
        ]
    )
    func notXML(_ body: String) {
        var disk = Disk()
        let answer = self.propfind(&disk, "/", body)
        #expect(answer.status == 400)
        #expect(answer.violation != nil)
    }

    @Test("a truncated body does not trap, and only the whole body is accepted")
    func truncated() {
        let body =
            "<?xml version='1.0'?><d:propfind xmlns:d='DAV:'><d:prop><d:getetag/></d:prop></d:propfind>"
        for count in 1..<body.utf8.count {
            var disk = Disk()
            #expect(self.propfind(&disk, "/", String(body.prefix(count))).status == 400)
        }
        var disk = Disk()
        #expect(self.propfind(&disk, "/", body).status == 207)
    }

    @Test("Depth is 0 or 1", arguments: ["infinity", "2", "", nil])
    func depth(_ depth: String?) {
        var disk = Disk()
        #expect(self.propfind(&disk, "/", depth: depth).violation != nil)
    }

    @Test("a part is sent as one part of a multipart, or plain")
    func parts() {
        var disk = Disk()
        let fields = Self.token.merging(["Range": "bytes=1-2"]) { $1 }
        let answer = disk.ask(.webdav, "/Music/a%20song.mp3", fields)
        #expect(answer.status == 206)
        #expect(answer.value("etag") == ServedFile.pattern(length: 1000).md5)
        #expect(answer.value("content-range") == nil)
        #expect(answer.value("content-type")?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(answer.body.bytes.count == Int(answer.body.length))
        disk.machine.behaviour.sendsMultipart = false
        let plain = disk.ask(.webdav, "/Music/a%20song.mp3", fields)
        #expect(plain.value("content-range") == "bytes 1-2/1000")
        #expect(plain.body.bytes == PatternBytes.bytes(in: 1..<3))
    }

    @Test("the password of an application is accepted, too")
    func password() {
        var disk = Disk()
        // The Base64 of `weir:weir-test-app-password`.
        let right = ["Authorization": "Basic d2Vpcjp3ZWlyLXRlc3QtYXBwLXBhc3N3b3Jk"]
        #expect(disk.ask(.webdav, "/empty", right).status == 200)
        #expect(disk.ask(.webdav, "/empty", ["Authorization": "Basic eDp5"]).status == 401)
        #expect(disk.ask(.webdav, "/empty", ["Authorization": "Bearer x"]).violation != nil)
        #expect(disk.ask(.webdav, "/empty").value("www-authenticate") != nil)
        #expect(disk.ask(.webdav, "/nothing", right).status == 404)
        #expect(disk.ask(.webdav, "/Music", right).violation != nil)
        #expect(disk.ask(.webdav, "/empty?x=1", right).violation != nil)
        #expect(disk.ask(.webdav, "/a+b", right).violation != nil)
    }
}
