// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirTestServers

/// `weir-test-servers yandex`.
struct YandexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "yandex",
        abstract: "A Yandex.Disk: REST API, link host, authorization server and WebDAV.",
        discussion: """
            Prints one line of JSON with the URLs and the token, and another with the counts when it \
            ends. It ends with SIGTERM or SIGINT, and when standard input ends, if that is a \
            pipe.

            At the URL "control", GET /_record shows every request and its violations, \
            DELETE /_record forgets them, GET /_behaviour shows the switches, and POST /_behaviour \
            sets those that its JSON names.

            A fault is written NAME[=NUMBER][*TIMES][@SERVER]. It happens TIMES times, or always; \
            at SERVER (api, link, oauth, webdav, other), or at all servers that it fits.

            FAULTS
              \(Fault.Name.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "\n  "))

            EXAMPLES
              A folder, with links of five seconds and access tokens of seven:
                weir-test-servers yandex --folder ~/Music --link-life 5 --token-life 7

              An API that answers 429 twice, with Retry-After: 3, and a link that breaks off:
                weir-test-servers yandex --fault 'rate-limited=3*2@api' --fault 'body-cut=70000*1@link'
            """
    )

    /// The files of a disk without a folder, of patterned bytes.
    private static let smallDisk: [String: ServedFile] = [
        "disk:/Music/one.mp3": .pattern(length: 1_000_000, seed: 1),
        "disk:/Music/two & a half.flac": .pattern(length: 3_000_000, seed: 2),
        "disk:/Музыка/песня.mp3": .pattern(length: 500_000, seed: 3),
        "disk:/empty.txt": .bytes([]),
        "disk:/hello.txt": .text("Hello.\n"),
    ]

    @Option(help: "The folder to serve; without it, a small invented disk.")
    var folder: String?

    @Option(help: "An access token that never expires.")
    var token = "y0_weir-test-token"

    @Option(help: "How many seconds a link lasts.")
    var linkLife = 14_400.0

    @Option(help: "How many seconds an access token of the authorization server lasts.")
    var tokenLife = 3600.0

    @Option(help: "A fault; any number of times.")
    var fault: [String] = []

    @Option(name: .customLong("client-id"), help: "The application that may ask for tokens.")
    var clientID = "weir-test-client"

    @Option(help: "A path that is public, as KEY=/path; any number of times.")
    var publish: [String] = []

    func run() async throws {
        let behaviour = Behaviour(
            linkLife: try Self.checked(self.linkLife, "--link-life"),
            tokenLife: try Self.checked(self.tokenLife, "--token-life"),
            faults: try self.fault.map(Self.fault)
        )
        let account = YandexDiskAccount(
            tokens: [self.token],
            clientID: self.clientID,
            published: try self.published()
        )
        let server = try self.server(behaviour, account)
        let ending = Ending()
        TestServersCommand.raiseFileLimit()
        try await server.start(withControl: true)
        TestServersCommand.printJSON(
            [
                "api": server.apiURL, "oauth": server.oauthURL, "link": server.linkURL,
                "webdav": server.webdavURL, "other": server.otherURL, "control": server.controlURL,
                "token": self.token, "client_id": self.clientID,
            ].compactMapValues { $0 }
        )
        await ending.wait()
        await server.shutdown()
        TestServersCommand.printJSON(ServerSummary(of: server))
    }

    private func server(
        _ behaviour: Behaviour,
        _ account: YandexDiskAccount
    ) throws -> YandexDiskServer {
        guard let folder else {
            return YandexDiskServer(files: Self.smallDisk, behaviour: behaviour, account: account)
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw ValidationError("\(folder) is not a folder.") }
        return YandexDiskServer(folder: folder, behaviour: behaviour, account: account)
    }

    private func published() throws -> [String: String] {
        var published: [String: String] = [:]
        for text in self.publish {
            guard let mark = text.lastIndex(of: "=") else {
                throw ValidationError("\(text) is not KEY=/path.")
            }
            published[String(text[..<mark])] = String(text[text.index(after: mark)...])
        }
        return published
    }

    private static func fault(_ text: String) throws -> Fault {
        guard let fault = Fault(text) else {
            throw ValidationError(
                "\(text) is not a fault; write one as link-gone, body-cut=1000*2 or rate-limited=3*2@api."
            )
        }
        return fault
    }

    private static func checked(_ seconds: Double, _ option: String) throws -> Double {
        guard seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("\(option) is \(seconds); it is a number of seconds from 0 on.")
        }
        return seconds
    }
}

/// The last line of output.
struct ServerSummary: Encodable {
    /// How many requests each server had.
    private(set) var requests: [String: Int] = [:]
    /// How many bytes of bodies each server sent.
    private(set) var bytes: [String: Int64] = [:]
    let violations: [String]

    init(of server: YandexDiskServer) {
        self.violations = server.violations
        for request in server.record {
            self.requests[request.server, default: 0] += 1
            self.bytes[request.server, default: 0] += request.bodyBytesSent
        }
    }
}
