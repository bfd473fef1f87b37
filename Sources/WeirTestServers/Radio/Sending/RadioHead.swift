// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The head of an answer, polite or not.
struct RadioHead: Sendable {
    var status: Int
    var fields: [(String, String)]

    /// The head of a stream.
    ///
    /// - Parameters:
    ///   - programme: what is sent.
    ///   - behaviour: how.
    ///   - hasTitles: whether they were asked for, and are sent.
    init(_ programme: RadioProgramme, _ behaviour: RadioBehaviour, hasTitles: Bool) {
        self.status = 200
        self.fields = [
            ("Content-Type", programme.files.first?.mediaType ?? "audio/mpeg"),
            ("icy-name", programme.name), ("icy-genre", "Test"), ("icy-pub", "0"),
            ("icy-br", "\(max(1, (programme.pace.bytesPerSecond ?? 16_000) * 8 / 1000))"),
            ("Cache-Control", "no-cache, no-store"), ("Server", "weir-test-servers"),
        ]
        if hasTitles { self.fields.append(("icy-metaint", "\(behaviour.metaint)")) }
        if behaviour.has(.chunked) {
            self.fields.append(("Transfer-Encoding", "chunked"))
        } else {
            self.fields.append(("Connection", "close"))
        }
    }

    init(_ status: Int, _ fields: [(String, String)]) {
        self.status = status
        self.fields = fields
    }

    /// The bytes, written as the behaviour says.
    func bytes(_ behaviour: RadioBehaviour) -> [UInt8] {
        let version =
            behaviour.has(.icy)
            ? "ICY" : behaviour.has(.http11) || behaviour.has(.chunked) ? "HTTP/1.1" : "HTTP/1.0"
        let colon = behaviour.has(.looseColons) ? " : " : behaviour.has(.tightColons) ? ":" : ": "
        let lines =
            ["\(version) \(self.status) \(ReasonPhrase.of(self.status))"]
            + self.fields.map { "\($0)\(colon)\($1)" }
        let end = behaviour.has(.lineFeeds) ? "\n" : "\r\n"
        return lines.flatMap {
            RadioTitle.encoded($0 + end, isLatin1: behaviour.has(.latin1))
        } + Array(end.utf8)
    }
}
