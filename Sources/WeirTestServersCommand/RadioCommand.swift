// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirTestServers

/// `weir-test-servers radio`.
struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "A radio station: sends files over and over, with faults on demand.",
        discussion: """
            Prints one line of JSON with the URLs, and another with the counts when it ends. It ends with SIGTERM or \
            SIGINT, and when standard input ends, if that is a pipe.

            At the URL "control", GET /_record shows every request and its answer, GET /_audio?NUMBER returns the \
            sound that a connection received, without titles, and DELETE /_record forgets them. GET and POST \
            /_behaviour show and set the behaviours, as a JSON list. POST /_close closes all connections, /_refuse \
            accepts no more, /_listen accepts them again, and /_end_stalls ends stalls that have no end.

            A behaviour lists the faults of one connection, with plus signs between: QUIRK+QUIRK[*TIMES], or plain. \
            The first is for the first connections, and the last for all later ones. BYTES counts bytes of sound.

            QUIRKS
              \(RadioQuirk.summaries.joined(separator: "\n  "))

            EXAMPLES
              A SHOUTcast station at 128 kbit/s, with titles that change every 10 s:
                weir-test-servers radio --rate 16000 --behaviour icy --title 0=One --title 160000=Two song.mp3

              A station that ends the first connection after 3 s, is silent on the second, and then works:
                weir-test-servers radio --rate 16000 --behaviour close=3 --behaviour stall=65536/15 --behaviour \
            plain song.mp3
            """
    )

    @Argument(
        help:
            "The files to send over and over; the second one only for a behaviour that changes to it."
    )
    var file: [String]

    @Option(help: "How a connection behaves; any number of times.")
    var behaviour: [String] = []

    @Option(
        help: "How many bytes of sound are sent a second; without it, as fast as they are read."
    )
    var rate: Int64?

    @Option(help: "How many bytes of sound a connection gets at once.")
    var burst: Int64 = 0

    @Option(
        help:
            "The place where connections join: \(RadioStart.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var start = RadioStart.beginning.rawValue

    @Option(help: "A title, as BYTE=TEXT, from a byte of the sound on; any number of times.")
    var title: [String] = []

    @Option(help: "The name of the station.")
    var name = "Weir Test Radio"

    @Option(help: "An address in the playlists, /missing for one that fails; any number of times.")
    var entry: [String] = []

    @Option(
        help: "A folder that gets the sound of each connection when the program ends, as N.audio."
    )
    var capture: String?

    func run() async throws {
        let programme = RadioProgramme(
            try self.file.map(Self.file),
            name: self.name,
            titles: try self.title.map(Self.title).sorted { $0.offset < $1.offset },
            pace: RadioPace(
                bytesPerSecond: try self.rate.map { try Self.checked($0, "--rate") },
                burst: try Self.checked(self.burst, "--burst")
            ),
            start: try Self.start(self.start),
            entries: self.entry.isEmpty ? ["/stream"] : self.entry
        )
        let behaviours = try self.behaviour.map(Self.behaviour)
        let server = RadioServer(
            programme,
            behaviours: behaviours.isEmpty ? [RadioBehaviour()] : behaviours
        )
        let ending = Ending()
        TestServersCommand.raiseFileLimit()
        try await server.start(withControl: true)
        TestServersCommand.printJSON(
            [
                "station": server.url, "stream": server.streamURL, "pls": server.plsURL,
                "m3u": server.m3uURL, "control": server.controlURL,
            ].compactMapValues { $0 }
        )
        await ending.wait()
        await server.shutdown()
        if let capture { try Self.save(server, in: capture) }
        TestServersCommand.printJSON(RadioSummary(of: server))
    }

    private static func save(_ server: RadioServer, in folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        for connection in server.record where connection.audioBytesSent > 0 {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(
                "\(connection.number).audio"
            )
            try Data(server.audio(of: connection)).write(to: file)
        }
    }

    private static func file(_ path: String) throws -> RadioFile {
        guard let file = RadioFile(path: path) else {
            throw ValidationError("\(path) is not a file, or is empty.")
        }
        return file
    }

    private static func title(_ text: String) throws -> RadioTitle {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let offset = Int64(halves[0]), offset >= 0 else {
            throw ValidationError("\(text) is not a title; write one as 160000=Two.")
        }
        return RadioTitle(at: offset, String(halves[1]))
    }

    private static func behaviour(_ text: String) throws -> RadioBehaviour {
        guard let behaviour = RadioBehaviour(text) else {
            throw ValidationError(
                "\(text) is not a behaviour; write one as plain, icy+lf, stall=65536/5 or page*2."
            )
        }
        return behaviour
    }

    private static func start(_ text: String) throws -> RadioStart {
        guard let start = RadioStart(rawValue: text) else {
            throw ValidationError(
                "\(text) is not a place to join; use \(RadioStart.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        return start
    }

    private static func checked(_ number: Int64, _ option: String) throws -> Int64 {
        guard number >= 0, number <= 1 << 40, option != "--rate" || number > 0 else {
            throw ValidationError("\(option) is \(number), which is not possible.")
        }
        return number
    }
}

/// The last line of output of a station.
struct RadioSummary: Encodable {
    let requests: Int
    /// How many bytes of sound each connection was sent.
    let audio: [Int64]

    init(of server: RadioServer) {
        let record = server.record
        self.requests = record.count
        self.audio = record.map(\.audioBytesSent)
    }
}
