// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// The body of one connection: sound without an end, with titles in between.
struct RadioFeed: Sendable {
    private let programme: RadioProgramme
    private let behaviour: RadioBehaviour
    /// The position in the station's sound at which this connection joined.
    let start: Int64
    private let metaint: Int
    /// How many bytes have been taken, without the bytes of titles.
    private(set) var sent: Int64 = 0
    private var untilTitle: Int
    private var block: ArraySlice<UInt8> = []
    private var told: RadioTitle?

    init(
        _ programme: RadioProgramme,
        _ behaviour: RadioBehaviour,
        from start: Int64,
        hasTitles: Bool
    ) {
        self.programme = programme
        self.behaviour = behaviour
        self.start = start
        self.metaint = hasTitles ? behaviour.metaint : 0
        self.untilTitle = self.metaint
    }

    /// Takes the next bytes, of sound or of a title, never of both.
    ///
    /// - Parameter limit: the most bytes to take; above 0.
    /// - Returns: at least one byte, unless the file can no longer be read; and how many of the
    ///   bytes are sound, or replace sound.
    mutating func next(upTo limit: Int) -> (bytes: [UInt8], audioCount: Int) {
        if !self.block.isEmpty {
            let bytes = self.block.prefix(limit)
            self.block = self.block.dropFirst(bytes.count)
            return (Array(bytes), 0)
        }
        let room = self.metaint > 0 ? min(limit, self.untilTitle) : limit
        let bytes = self.audio(at: self.sent, upTo: room)
        self.sent += Int64(bytes.count)
        if self.metaint > 0 {
            self.untilTitle -= bytes.count
            if self.untilTitle == 0 { self.beginTitle() }
        }
        return (bytes, bytes.count)
    }

    /// The sound of this connection, at an offset from the connection's first byte of sound.
    func audio(at offset: Int64, upTo count: Int) -> [UInt8] {
        let garbage = self.behaviour.garbage
        if offset < garbage {
            let end = min(garbage, offset + Int64(count))
            return PatternBytes.bytes(in: offset..<end, seed: 0x6A72)
        }
        let position = offset - garbage
        guard let first = self.programme.files.first else { return [] }
        guard let change = self.behaviour.change else {
            return first.bytes(at: self.start + position, upTo: count)
        }
        if position < change {
            let count = Int(min(Int64(count), change - position))
            return first.bytes(at: self.start + position, upTo: count)
        }
        let second = self.programme.files.count > 1 ? self.programme.files[1] : first
        return second.bytes(at: position - change, upTo: count)
    }

    private mutating func beginTitle() {
        self.untilTitle = self.metaint
        let title = self.programme.title(at: self.start + self.sent)
        guard let title, title != self.told else {
            self.block = [0]
            return
        }
        self.told = title
        self.block = title.block(isLatin1: self.behaviour.has(.latin1))[...]
    }
}

extension RadioBehaviour {
    /// The head of a stream.
    ///
    /// - Parameters:
    ///   - programme: the programme to send.
    ///   - hasTitles: whether titles were requested, and are sent.
    /// - Returns: the bytes.
    func head(of programme: RadioProgramme, hasTitles: Bool) -> [UInt8] {
        var fields = [
            ("Content-Type", programme.files.first?.mediaType ?? "audio/mpeg"),
            ("icy-name", programme.name), ("icy-genre", "Test"), ("icy-pub", "0"),
            ("icy-br", "\(max(1, (programme.pace.bytesPerSecond ?? 16_000) * 8 / 1000))"),
            ("Cache-Control", "no-cache, no-store"), ("Server", "weir-test-servers"),
        ]
        if hasTitles { fields.append(("icy-metaint", "\(self.metaint)")) }
        if self.has(.chunked) {
            fields.append(("Transfer-Encoding", "chunked"))
        } else {
            fields.append(("Connection", "close"))
        }
        return self.head(200, fields)
    }

    /// The head of an answer, correct or not.
    func head(_ status: Int, _ fields: [(String, String)]) -> [UInt8] {
        let version =
            self.has(.icy)
            ? "ICY" : self.has(.http11) || self.has(.chunked) ? "HTTP/1.1" : "HTTP/1.0"
        let colon = self.has(.looseColons) ? " : " : self.has(.tightColons) ? ":" : ": "
        let lines =
            ["\(version) \(status) \(ServerAnswer.reasonPhrase(of: status))"]
            + fields.map { "\($0)\(colon)\($1)" }
        let end = self.has(.lineFeeds) ? "\n" : "\r\n"
        return lines.flatMap {
            RadioTitle.encoded($0 + end, isLatin1: self.has(.latin1))
        } + Array(end.utf8)
    }
}

/// A station's decision on the answer to one request.
struct RadioAnswer: Sendable {
    var status: Int
    /// The head, and the body of an answer that is not a stream.
    var head: [UInt8]
    /// The stream after the head; `nil`: the connection closes after the head.
    var sending: RadioSending?
    /// The behaviour of the connection, if the request was one for the stream.
    var behaviour: RadioBehaviour?
}
