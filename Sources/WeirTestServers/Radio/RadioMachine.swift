// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides on a station's answer to each request, without a socket and without a clock.
struct RadioMachine: Sendable {
    let programme: RadioProgramme
    /// The behaviours of the next connections, in their order.
    var behaviours: [RadioBehaviour] {
        didSet { self.taken = 0 }
    }
    /// The host and the port in the station's own addresses.
    var authority = "127.0.0.1:0"
    /// When the station went on the air, in Unix seconds.
    var began = 0.0
    /// Where the last connection ended.
    var followed: Int64 = 0
    private var taken = 0
    /// The tokens of redirects, and the behaviour of the connections with each token.
    private var tokens: [String: (behaviour: RadioBehaviour, expiry: Double?, uses: Int?)] = [:]

    init(_ programme: RadioProgramme, _ behaviours: [RadioBehaviour]) {
        self.programme = programme
        self.behaviours = behaviours
    }

    /// Decides on the answer to a request.
    ///
    /// - Parameters:
    ///   - request: the request as received.
    ///   - now: Unix seconds.
    /// - Returns: the answer.
    mutating func answer(_ request: ServerRequest, now: Double) -> RadioAnswer {
        switch request.path {
        case "/listen.pls":
            return Self.document("audio/x-scpls", self.pls)
        case "/listen.m3u":
            return Self.document("audio/x-mpegurl", self.m3u)
        case "/missing":
            return Self.refusal(404, nil, RadioBehaviour())
        case let path where path.hasPrefix("/token/"):
            return self.tokenCame(String(path.dropFirst(7)), request, now)
        default:
            break
        }
        let behaviour = self.takeBehaviour()
        let redirect: (life: Double?, uses: Int?)? = behaviour.last {
            if case .redirect(let life, let uses) = $0 { (life, uses) } else { nil }
        }
        guard let redirect else { return self.stream(request, behaviour, now) }
        let name = "\(self.tokens.count + 1)"
        self.tokens[name] = (behaviour, redirect.life.map { now + $0 }, redirect.uses)
        let location = "http://\(self.authority)/token/\(name)"
        return RadioAnswer(
            status: 302,
            head: behaviour.head(302, [("Location", location), ("Content-Length", "0")]),
            behaviour: behaviour
        )
    }

    private mutating func takeBehaviour() -> RadioBehaviour {
        defer { self.taken += 1 }
        var left = self.taken
        for behaviour in self.behaviours {
            if left < behaviour.times { return behaviour }
            left -= behaviour.times
        }
        return self.behaviours.last ?? RadioBehaviour()
    }

    private mutating func tokenCame(_ name: String, _ request: ServerRequest, _ now: Double)
        -> RadioAnswer
    {
        guard var token = self.tokens[name], token.expiry.map({ now < $0 }) ?? true, token.uses != 0
        else { return Self.refusal(403, nil, RadioBehaviour()) }
        token.uses = token.uses.map { $0 - 1 }
        self.tokens[name] = token
        return self.stream(request, token.behaviour, now)
    }

    private func stream(_ request: ServerRequest, _ behaviour: RadioBehaviour, _ now: Double)
        -> RadioAnswer
    {
        let status = behaviour.last {
            if case .status(let status, let delay) = $0 { (status, delay) } else { nil }
        }
        if let (status, delay) = status { return Self.refusal(status, delay, behaviour) }
        if behaviour.has(.page) {
            var answer = Self.document("text/html", Self.page)
            answer.behaviour = behaviour
            return answer
        }
        let hasTitles = request.value("icy-metadata") == "1" && behaviour.metaint > 0
        let head = behaviour.head(of: self.programme, hasTitles: hasTitles)
        guard !behaviour.has(.halfHead) else {
            return RadioAnswer(
                status: 200,
                head: Array(head.prefix(head.count / 2)),
                behaviour: behaviour
            )
        }
        let feed = RadioFeed(
            self.programme,
            behaviour,
            from: self.start(now),
            hasTitles: hasTitles
        )
        return RadioAnswer(
            status: 200,
            head: head,
            sending: RadioSending(feed, behaviour, pace: self.programme.pace),
            behaviour: behaviour
        )
    }

    private func start(_ now: Double) -> Int64 {
        switch self.programme.start {
        case .beginning: return 0
        case .following: return self.followed
        case .live:
            guard let rate = self.programme.pace.bytesPerSecond else { return 0 }
            let seconds = min(max(0, now - self.began), 1e7)
            return max(0, Int64(seconds * Double(rate)) - self.programme.pace.burst)
        }
    }

    private static func refusal(_ status: Int, _ delay: Int?, _ behaviour: RadioBehaviour)
        -> RadioAnswer
    {
        var fields = [("Content-Length", "0"), ("Connection", "close")]
        if let delay { fields.append(("Retry-After", "\(delay)")) }
        return RadioAnswer(
            status: status,
            head: behaviour.head(status, fields),
            behaviour: behaviour
        )
    }

    private static func document(_ type: String, _ text: String) -> RadioAnswer {
        let body = Array(text.utf8)
        let head = RadioBehaviour().head(
            200,
            [("Content-Type", type), ("Content-Length", "\(body.count)"), ("Connection", "close")]
        )
        return RadioAnswer(status: 200, head: head + body)
    }

    private static let page =
        "<!DOCTYPE html>\n<html><head><title>Test Radio</title></head>\n<body><p>Listen to this station in its own "
        + "player.</p></body></html>\n"

    private var pls: String {
        let entries = self.programme.entries.enumerated().map { index, entry in
            let address = entry.hasPrefix("/") ? "http://\(self.authority)\(entry)" : entry
            return "File\(index + 1)=\(address)\nTitle\(index + 1)=\(self.programme.name)\n"
        }
        return "[playlist]\nNumberOfEntries=\(entries.count)\n\(entries.joined())Version=2\n"
    }

    private var m3u: String {
        let entries = self.programme.entries.map { entry in
            "#EXTINF:-1,\(self.programme.name)\n\(entry.hasPrefix("/") ? String(entry.dropFirst()) : entry)\n"
        }
        return "#EXTM3U\n\(entries.joined())"
    }
}
