// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// How to find the end of a body (RFC 9112 §6.3), from the head of its response.
enum BodyFraming: Hashable, Sendable {
    /// After this many bytes.
    case counted(Int64)
    /// After its last chunk.
    case chunked
    /// At the end of its connection.
    case untilClose
    /// The length contradicts itself or is not a number.
    case unclear
    /// The platform decodes the body without being asked; the length in the head does not count the
    /// decoded bytes.
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

    /// The length of the body in bytes, if its head gives it.
    var length: Int64? {
        if case .counted(let length) = self { length } else { nil }
    }

    /// Whether the end that the platform reports proves that the body is complete.
    ///
    /// libcurl fails a chunked body without its last chunk. For Apple's sessions this is not
    /// confirmed, so there the end proves nothing.
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

    /// The items of lists; the platform joins fields of one name with commas.
    private static func tokens(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.compactMap { item in
            let token = item.filter { !$0.isWhitespace }.lowercased()
            return token.isEmpty ? nil : token
        }
    }
}
