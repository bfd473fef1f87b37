// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A server's decision on an answer, and how the server misbehaves while it sends the answer.
struct ServerAnswer: Sendable {
    /// How the sending ends.
    enum Ending: Sendable, Equatable {
        /// Completely, as the head promises.
        case whole
        /// The connection closes after this many bytes of the body.
        case cut(after: Int64)
        /// It does not end: after this many bytes of the body there is silence until the client leaves.
        case stalled(after: Int64)
        /// The connection closes before the head.
        case lost
    }

    var status: Int
    var fields: [HeaderField] = []
    var body = ServerBody()
    var ending = Ending.whole
    /// Milliseconds of silence before the head.
    var delay: Int64 = 0
    /// When the connection is closed, in Unix seconds, even in the middle of the body.
    var deadline: Double?
    /// The client's mistake, as a sentence; `nil` without a mistake.
    var violation: String?

    /// The value of a field.
    func value(_ name: String) -> String? {
        self.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// An answer with a text.
    static func text(_ status: Int, _ type: String, _ text: String) -> ServerAnswer {
        ServerAnswer(
            status: status,
            fields: [HeaderField("Content-Type", type)],
            body: ServerBody(text)
        )
    }

    /// An answer with a JSON document.
    static func json(_ status: Int, _ value: JSONValue) -> ServerAnswer {
        .text(status, "application/json; charset=utf-8", value.text)
    }

    /// The page that nginx sends for an error.
    static func page(_ status: Int) -> ServerAnswer {
        let title = "\(status) \(ServerAnswer.reasonPhrase(of: status))"
        return .text(
            status,
            "text/html",
            "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n"
                + "<center><h1>\(title)</h1></center>\r\n<hr><center>nginx</center>\r\n"
                + "</body>\r\n</html>\r\n"
        )
    }

    /// A redirect.
    static func redirect(to location: String) -> ServerAnswer {
        ServerAnswer(status: 302, fields: [HeaderField("Location", location)])
    }
}

/// Why a request does not get the answer that it asks for.
struct ServerError: Error {
    /// The client's mistake, as a sentence; `nil` for refusals that a correct client meets, too.
    var violation: String?
    /// The answer to send; `nil` for a 400 in the style of the asked server.
    var answer: ServerAnswer?

    /// A request that no client should make.
    static func violation(_ sentence: String) -> ServerError { ServerError(violation: sentence) }

    /// A refusal with a complete answer.
    static func answer(_ answer: ServerAnswer, violation: String? = nil) -> ServerError {
        ServerError(violation: violation, answer: answer)
    }
}

extension ServerAnswer {
    private static let reasonPhrases = [
        200: "OK", 204: "No Content", 206: "Partial Content", 207: "Multi-Status", 302: "Found",
        400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict", 410: "Gone",
        413: "Content Too Large", 416: "Range Not Satisfiable", 423: "Locked",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
        507: "Insufficient Storage",
    ]

    /// The reason phrase of a status.
    static func reasonPhrase(of status: Int) -> String { self.reasonPhrases[status] ?? "Status" }
}
