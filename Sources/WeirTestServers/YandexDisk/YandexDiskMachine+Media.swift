// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The faults of media, at every host.
extension YandexDiskMachine {
    /// Answers with media, changed by the faults that are due.
    mutating func spoiled(
        _ media: MediaAnswer,
        _ request: ServerRequest,
        at host: ServiceHost
    ) throws(ServerError) -> ServerAnswer {
        var media = media
        // A wrong request uses up no fault.
        let isPart = try media.answer(to: request).status == 206
        if self.behaviour.take(.pageInstead, at: host) != nil {
            let page = "<html><body><h1>Please log in</h1></body></html>\n"
            return .text(200, "text/html; charset=utf-8", page)
        }
        guard isPart else { return try media.answer(to: request) }
        if let fault = self.behaviour.take(.wrongRangeStart, at: host) {
            media.startError = Self.bounded(fault.value)
        }
        if let fault = self.behaviour.take(.wrongRangeTotal, at: host) {
            media.totalError = Self.bounded(fault.value)
        }
        media.hidesTotal = self.behaviour.take(.unknownRangeTotal, at: host) != nil
        media.ignoresRange = self.behaviour.take(.rangeIgnored, at: host) != nil
        return try media.answer(to: request)
    }

    /// Limits an error, so that adding it to a correct number cannot overflow.
    private static func bounded(_ error: Int64?) -> Int64 {
        min(max(error ?? 1, -(1 << 53)), 1 << 53)
    }
}

/// The answer to a GET of a file: all of it, or one part.
struct MediaAnswer: Sendable {
    private static let boundary = "weir4f1c27d0b6c5e0a9"

    let file: ServedFile
    let mimeType: String
    /// The value of the field, with or without quotes.
    let entityTag: String
    /// Whether a part comes as `multipart/byteranges`: RFC 9110 §14.6.
    let partsAreMultipart: Bool
    /// How many bytes are added to the correct start and end in `Content-Range`.
    var startError: Int64 = 0
    /// How many bytes are added to the correct length of the file in `Content-Range`.
    var totalError: Int64 = 0
    var hidesTotal = false
    var ignoresRange = false

    /// Answers a request.
    ///
    /// - Parameter request: the request; only its fields `Range` and `If-Range` count.
    /// - Returns: 200, 206 or 416.
    /// - Throws: ``ServerError`` with a sentence.
    func answer(to request: ServerRequest) throws(ServerError) -> ServerAnswer {
        let range = try request.value("range").map { text throws(ServerError) in
            try RangeField(text)
        }
        let condition = request.value("if-range")
        if condition != nil, range == nil { throw .violation("If-Range came without Range.") }
        var fields = [
            HeaderField("ETag", self.entityTag),
            HeaderField("Last-Modified", self.lastModified),
            HeaderField("Accept-Ranges", "bytes"),
        ]
        guard let range, !self.ignoresRange, condition.map(self.isMet) ?? true else {
            fields.append(HeaderField("Content-Type", self.mimeType))
            let body = ServerBody([.part(self.file.content, 0..<self.file.length)])
            return ServerAnswer(status: 200, fields: fields, body: body)
        }
        guard let part = range.range(in: self.file.length) else {
            var answer = ServerAnswer.page(416)
            answer.fields.append(HeaderField("Content-Range", "bytes */\(self.file.length)"))
            return answer
        }
        let body = self.addBody(of: part, to: &fields)
        return ServerAnswer(status: 206, fields: fields, body: body)
    }

    private func addBody(of part: Range<Int64>, to fields: inout [HeaderField]) -> ServerBody {
        let bytes = ServerBody.Piece.part(self.file.content, part)
        guard self.partsAreMultipart else {
            fields.append(HeaderField("Content-Type", self.mimeType))
            fields.append(HeaderField("Content-Range", self.contentRange(of: part)))
            return ServerBody([bytes])
        }
        fields.append(
            HeaderField("Content-Type", "multipart/byteranges; boundary=\(Self.boundary)")
        )
        let head =
            "\r\n--\(Self.boundary)\r\nContent-Type: \(self.mimeType)\r\n"
            + "Content-Range: \(self.contentRange(of: part))\r\n\r\n"
        let tail = "\r\n--\(Self.boundary)--\r\n"
        return ServerBody([.bytes(Array(head.utf8)), bytes, .bytes(Array(tail.utf8))])
    }

    private var lastModified: String { CivilTime(self.file.modified).headerText }

    private func contentRange(of part: Range<Int64>) -> String {
        let start = max(0, part.lowerBound + self.startError)
        let end = max(start, part.upperBound - 1 + self.startError)
        let total = self.hidesTotal ? "*" : String(self.file.length + self.totalError)
        return "bytes \(start)-\(end)/\(total)"
    }

    /// RFC 9110 §13.1.5: a strong comparison, or the same date.
    ///
    /// A tag that the server sends without quotes may come back with quotes, as the RFC demands.
    private func isMet(_ condition: String) -> Bool {
        condition == self.entityTag || condition == "\"\(self.entityTag)\""
            || condition == self.lastModified
    }
}
