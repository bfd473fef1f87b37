// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// Errors with the same messages for every service.
extension SourceError {
    static func isFolder(_ name: String, host: String?) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(name) is a folder, which cannot be played or copied as a file; weir ls shows what is in it.",
            host: host
        )
    }

    static func isFile(_ name: String, host: String?) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(name) is a file and holds no others; name the folder that it is in.",
            host: host
        )
    }

    static func notFound(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .notFound,
            "There is nothing called \(name); look at the folder with weir ls.",
            host: host,
            status: status
        )
    }

    static func forbidden(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .forbidden,
            "\(name) must not be read with this account; ask its owner for access, or use another account.",
            host: host,
            status: status
        )
    }

    static func overQuota(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .throttled,
            "\(host ?? "The service") gives out no more of \(name) for now, because its limit of downloads or space"
                + " is used up; try again tomorrow.",
            host: host,
            status: status
        )
    }

    static func throttled(_ name: String, answer: ServiceAnswer, host: String) -> SourceError {
        let wait = answer.retryAfter.map { " for \(max(1, $0.components.seconds)) s" } ?? ""
        return SourceError(
            .throttled,
            "\(host) asks to be left alone\(wait) instead of telling of \(name) (status \(answer.status)); try again"
                + " after that.",
            host: host,
            status: answer.status
        )
    }

    static func failed(_ name: String, status: Int, host: String) -> SourceError {
        SourceError(
            .originFailed,
            "\(host) failed when it was asked about \(name) (status \(status)); try again later.",
            host: host,
            status: status
        )
    }

    static func badAnswer(_ name: String, _ what: String, status: Int?, host: String)
        -> SourceError
    {
        SourceError(
            .badAnswer,
            "\(host) answered a question about \(name) with \(what); check the address of the service, or try again"
                + " later.",
            host: host,
            status: status
        )
    }

    /// The error for new links that are refused too.
    static func linksRefused(_ name: String, status: Int, host: String) -> SourceError {
        let code: SourceError.Code =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            default: .originFailed
            }
        return SourceError(
            code,
            "\(host) gives no bytes of \(name), though the link to it is fresh (status \(status)); try again later.",
            host: host,
            status: status
        )
    }

    static func locked(_ name: String, status: Int, host: String) -> SourceError {
        SourceError(
            .originFailed,
            "\(name) is locked at \(host) by somebody who writes to it; try again later.",
            host: host,
            status: status
        )
    }
}

extension String {
    /// A service's text on one line, without control characters, cut after `limit` characters.
    func shownOnOneLine(limit: Int = 200) -> String {
        let line = self.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: " "
            default: Character(scalar)
            }
        }
        let short = String(line.prefix(limit))
        return line.count > limit ? "\(short)…" : short
    }
}
