// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirTestServers

/// A Yandex.Disk without sockets, with a test's own time.
struct Disk {
    static let token = "y0_weir-test-token"
    static let song = "disk:/Music/a song.mp3"

    var now = 1_720_000_000.0
    var machine: YandexDiskMachine

    init(_ faults: Fault..., files: [String: ServedFile]? = nil) {
        self.machine = YandexDiskMachine(
            account: YandexDiskAccount(published: ["the key": "/Music"]),
            behaviour: Behaviour(faults: faults)
        )
        for host in ServiceHost.allCases {
            self.machine.authorities[host] = Self.authority(of: host)
        }
        let files = files ?? [Self.song: .pattern(length: 1000), "disk:/empty": .bytes([])]
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            self.machine.tree.set(DiskPath(path), file)
        }
    }

    static func authority(of host: ServiceHost) -> String { "127.0.0.1:\(host.rawValue.count)000" }

    /// Sends a request with the fields that every client sends and those that the test adds.
    mutating func ask(
        _ host: ServiceHost,
        _ target: String,
        _ fields: [String: String] = [:],
        method: String = "GET",
        body: String = ""
    ) -> ServerAnswer {
        self.ask(
            host,
            ServerRequest(
                method: method,
                target: target,
                fields: [HeaderField("Host", Self.authority(of: host))]
                    + fields.map { HeaderField($0, $1) },
                body: Array(body.utf8)
            )
        )
    }

    mutating func ask(_ host: ServiceHost, _ request: ServerRequest) -> ServerAnswer {
        self.machine.answer(request, at: host, now: self.now)
    }

    /// Sends a request to the API, with the token.
    mutating func api(_ target: String) -> ServerAnswer {
        self.ask(.api, "/v1/disk\(target)", ["Authorization": "OAuth \(Self.token)"])
    }

    /// The request target of a link to a file.
    mutating func link(to path: String = song) -> String {
        let answer = self.api("/resources/download?path=\(path.escaped())")
        return String(answer.text.between("\(Self.authority(of: .link))", "\""))
    }

    /// Opens a link.
    mutating func open(_ link: String, _ range: String? = nil) -> ServerAnswer {
        self.ask(.link, link, range.map { ["Range": $0] } ?? [:])
    }
}

extension ServerAnswer {
    var text: String { String(decoding: self.body.bytes, as: UTF8.self) }
}

extension String {
    /// The text between two texts at their first occurrence.
    func between(_ start: String, _ end: String) -> Substring {
        guard let start = self.firstRange(of: start)?.upperBound,
            let end = self[start...].firstRange(of: end)?.lowerBound
        else { return "" }
        return self[start..<end]
    }
}
