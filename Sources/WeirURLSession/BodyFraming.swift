// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// How the end of a body is found (RFC 9112 §6.3), from the head of its answer.
enum BodyFraming: Hashable, Sendable {
    /// After this many bytes.
    case counted(Int64)
    /// With its last chunk.
    case chunked
    /// With its connection.
    case untilClose
    /// Its length contradicts itself or is no number.
    case unclear
    /// Its bytes carry a coding that the platform takes off unasked; their number says nothing.
    case coded

    init(method: String, status: Int, headers: HTTPHeaderList) {
        let hasNoBody = method == "HEAD" || status == 204 || status == 304
        let transfer = Self.tokens(headers.values(of: "Transfer-Encoding"))
        let lengths = Self.tokens(headers.values(of: "Content-Length"))
        self =
            if hasNoBody {
                .counted(0)
            } else if !headers.contentCodings.isEmpty {
                .coded
            } else if let last = transfer.last, last != "identity" {
                last == "chunked" ? .chunked : .untilClose
            } else if let first = lengths.first, ResourceLength.isUnknown(Array(first.utf8)),
                lengths.allSatisfy({ $0 == first })
            {
                .untilClose
            } else if let first = lengths.first {
                Self.length(first, all: lengths).map(Self.counted) ?? .unclear
            } else {
                .untilClose
            }
    }

    /// How many bytes the body has, if its head says so.
    var length: Int64? {
        if case .counted(let length) = self { length } else { nil }
    }

    /// Whether the end that the platform reports is the end that was sent.
    ///
    /// libcurl fails a body in chunks that lacks its last one. Of Apple's sessions this has not been
    /// seen, so there it proves nothing.
    func isEndProven(_ flow: FlowControl) -> Bool {
        switch self {
        case .counted: true
        case .chunked: flow == .braking
        case .untilClose, .unclear, .coded: false
        }
    }

    private static func length(_ first: String, all lengths: [String]) -> Int64? {
        let isNumber = first.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        return isNumber && lengths.allSatisfy { $0 == first } ? Int64(first) : nil
    }

    /// The items of lists; the platform joins fields of one name by commas.
    private static func tokens(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.compactMap { item in
            let token = item.filter { !$0.isWhitespace }.lowercased()
            return token.isEmpty ? nil : token
        }
    }
}
