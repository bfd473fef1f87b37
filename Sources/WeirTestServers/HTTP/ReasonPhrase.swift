// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The words beside a status.
enum ReasonPhrase {
    private static let phrases = [
        200: "OK", 204: "No Content", 206: "Partial Content", 207: "Multi-Status", 302: "Found",
        400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict", 410: "Gone",
        413: "Content Too Large", 416: "Range Not Satisfiable", 423: "Locked",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
        507: "Insufficient Storage",
    ]

    static func of(_ status: Int) -> String { self.phrases[status] ?? "Status" }
}
