// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("The REST API of a Yandex.Disk")
struct APITests {
    @Test("a file has the service's description, with a ready link")
    func file() {
        var disk = Disk()
        let answer = disk.api("/resources?path=disk%3A%2FMusic%2Fa%20song.mp3")
        #expect(answer.status == 200)
        #expect(answer.violation == nil)
        for part in [
            #""name":"a song.mp3""#, #""path":"disk:/Music/a song.mp3""#, #""type":"file""#,
            #""size":1000"#, #""mime_type":"audio/mpeg""#, #""media_type":"audio""#,
            #""modified":"2024-07-10T16:02:35+00:00""#, #""antivirus_status":"clean""#,
            #""revision":1720627355000000"#, "\"md5\":\"\(ServedFile.pattern(length: 1000).md5)\"",
        ] {
            #expect(answer.text.contains(part), "\(part)")
        }
        let link = String(answer.text.between(Disk.authority(of: .link), "\""))
        #expect(disk.open(link).status == 200)
    }

    @Test("an answer has only the requested members")
    func fields() {
        var disk = Disk()
        #expect(
            disk.api("/resources?path=disk:/empty&fields=name,size").text
                == #"{"size":0,"name":"empty"}"#
        )
        #expect(
            disk.api("/resources?path=disk:/&fields=_embedded.items.name,_embedded.total").text
                == #"{"_embedded":{"items":[{"name":"Music"},{"name":"empty"}],"total":2}}"#
        )
        #expect(disk.api("?fields=user.login").text.contains("weir"))
        #expect(disk.api("/resources?path=disk:/&fields=nmae").violation != nil)
    }

    @Test("a folder comes in pages of 20 entries, or of the requested number")
    func pages() {
        var files: [String: ServedFile] = [:]
        for number in 100..<145 {
            files["/\(number)"] = .text("\(number)")
        }
        var disk = Disk(files: files)
        func names(_ answer: ServerAnswer) -> [Substring] {
            answer.text.split(separator: #""name":""#).dropFirst().map { $0.prefix(3) }
        }
        let fields = "&fields=_embedded.items.name"
        #expect(names(disk.api("/resources?path=disk:/\(fields)")).count == 20)
        #expect(
            names(disk.api("/resources?path=disk:/\(fields)&offset=40")) == [
                "140", "141", "142", "143", "144",
            ]
        )
        #expect(
            names(disk.api("/resources?path=disk:/\(fields)&limit=2&sort=-name")) == ["144", "143"]
        )
        #expect(
            disk.api("/resources?path=disk:/&limit=0&fields=_embedded.total").text.contains("45")
        )
        #expect(disk.api("/resources?path=disk:/&sort=colour").violation != nil)
        #expect(disk.api("/resources?path=disk:/&limit=many").violation != nil)
    }

    @Test("a missing file gives a 404 that names the error")
    func missing() {
        var disk = Disk()
        let answer = disk.api("/resources?path=disk:/nothing")
        #expect(answer.status == 404)
        #expect(answer.violation == nil)
        #expect(answer.text.contains(#""error":"DiskNotFoundError""#))
    }

    @Test("a public resource needs no token, and has its own root")
    func publication() {
        var disk = Disk()
        let target = "/v1/disk/public/resources?public_key=the%20key&fields="
        let listing = disk.ask(.api, target + "path,_embedded.items.path")
        #expect(listing.text == #"{"path":"/","_embedded":{"items":[{"path":"/a song.mp3"}]}}"#)
        let download = disk.ask(
            .api,
            "/v1/disk/public/resources/download?public_key=the%20key&path=%2Fa%20song.mp3"
        )
        let link = String(download.text.between(Disk.authority(of: .link), "\""))
        #expect(disk.open(link).body.length == 1000)
        #expect(disk.ask(.api, "/v1/disk/public/resources?public_key=other").status == 404)
        // The owner's own link to the same file differs, even within the same second.
        #expect(disk.link() != link)
        #expect(disk.open(link).status == 200)
    }

    @Test("a path outside of the disk, or an invalid token, is refused")
    func strictness() {
        var disk = Disk()
        #expect(disk.api("/resources?path=/empty").violation != nil)
        #expect(disk.api("/resources?path=disk:/../empty").violation != nil)
        #expect(disk.api("/resources?path=disk:/Music//a").violation != nil)
        #expect(disk.api("/resources").violation != nil)
        #expect(disk.api("/resources?path=disk:/&colour=red").violation != nil)
        #expect(disk.api("/resources?path=disk:/&access_token=x").violation != nil)
        #expect(disk.api("/resources?path=disk:/\(Disk.token)&sort=\(Disk.token)").violation != nil)
        #expect(disk.api("/resources/download?path=disk:/Music").violation != nil)
        let unknown = disk.ask(.api, "/v1/disk", ["Authorization": "OAuth nobody"])
        #expect(unknown.status == 401)
        #expect(unknown.violation == nil)
        #expect(unknown.text.contains(#""error":"UnauthorizedError""#))
        let bearer = disk.ask(.api, "/v1/disk", ["Authorization": "Bearer \(Disk.token)"])
        #expect(bearer.status == 400)
        #expect(bearer.violation?.contains("Bearer") == true)
        #expect(disk.ask(.api, "/v1/disk").status == 401)
        #expect(disk.ask(.api, "/v1/disk").violation != nil)
    }
}
