// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a server has decided to send, and how it misbehaves while it sends it.
struct ServerAnswer: Sendable {
    /// How the sending ends.
    enum Ending: Sendable, Equatable {
        /// As the head promises.
        case whole
        /// With the connection closed after so many bytes of the body.
        case cut(after: Int64)
        /// Not at all: after so many bytes of the body there is silence until the client leaves.
        case stalled(after: Int64)
        /// With the connection closed before the head.
        case lost
    }

    var status: Int
    var fields: [HeaderField] = []
    var body = ServerBody()
    var ending = Ending.whole
    /// Milliseconds of silence before the head.
    var delay: Int64 = 0
    /// When the connection is closed, in Unix seconds, wherever the body has got to.
    var deadline: Double?
    /// What the client did that no client should, as a sentence.
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

/// Why a request is not answered as it was asked.
struct Refusal: Error {
    /// What the client did wrong, as a sentence; `nil` for refusals that a right client meets, too.
    var violation: String?
    /// What is sent; `nil` for a 400 in the way of the server that was asked.
    var answer: ServerAnswer?

    /// A request that no client should make.
    static func violation(_ sentence: String) -> Refusal { Refusal(violation: sentence) }

    /// An answer that ends the matter.
    static func answer(_ answer: ServerAnswer, violation: String? = nil) -> Refusal {
        Refusal(violation: violation, answer: answer)
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

    /// The words beside a status.
    static func reasonPhrase(of status: Int) -> String { self.reasonPhrases[status] ?? "Status" }
}
