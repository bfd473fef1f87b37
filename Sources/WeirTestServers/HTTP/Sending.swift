// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// An answer that is being sent: decides the next step without a socket.
struct Sending: Sendable {
    enum Step: Sendable, Equatable {
        case write([UInt8])
        /// No step, for now or for ever.
        case wait
        case finish
        case close
    }

    private static let pieceSize: Int64 = 64 * 1024

    let number: Int
    private(set) var answer: ServerAnswer
    let staysOpen: Bool
    var hasBegun = false
    var isWriting = false
    private let promised: Int64
    private var sent: Int64 = 0
    private var isFinished = false

    init(number: Int, answer: ServerAnswer, isHeadOnly: Bool = false, staysOpen: Bool = true) {
        self.number = number
        self.answer = answer
        self.staysOpen = staysOpen
        self.promised = answer.body.length
        if isHeadOnly { self.answer.body = ServerBody() }
    }

    /// The first line and the fields.
    func head(now: Double) -> HTTPResponseHead {
        var fields = HTTPHeaders(self.answer.fields.map { ($0.name, $0.value) })
        fields.add(name: "Date", value: CivilTime(now).headerText)
        fields.add(name: "Content-Length", value: String(self.promised))
        if !self.staysOpen { fields.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(
            statusCode: self.answer.status,
            reasonPhrase: ServerAnswer.reasonPhrase(of: self.answer.status)
        )
        return HTTPResponseHead(version: .http1_1, status: status, headers: fields)
    }

    /// Decides the next step, now that there is room for a piece.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: the step, which counts as done.
    mutating func next(now: Double) -> Step {
        guard !self.isFinished else { return .wait }
        if let deadline = self.answer.deadline, now >= deadline { return self.over(.close) }
        var room = Self.pieceSize
        switch self.answer.ending {
        case .whole: break
        case .lost: return self.over(.close)
        case .cut(let limit):
            guard self.sent < limit else { return self.over(.close) }
            room = min(room, limit - self.sent)
        case .stalled(let limit):
            guard self.sent < limit else { return self.over(.wait) }
            room = min(room, limit - self.sent)
        }
        let before = self.answer.body.length
        guard let bytes = self.answer.body.take(upTo: Int(room)) else {
            return self.over(.finish)
        }
        let taken = before - self.answer.body.length
        self.sent += Int64(bytes.count)
        // A file on disk has become shorter than the promised body.
        guard Int64(bytes.count) == taken else { return self.over(.close) }
        return .write(bytes)
    }

    private mutating func over(_ step: Step) -> Step {
        self.isFinished = true
        return step
    }
}
