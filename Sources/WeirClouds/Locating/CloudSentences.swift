// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// Errors with the same messages for every service.
extension SourceError {
    static func isFolder(_ name: String, host: String?) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(name) is a folder, which cannot be played or copied as a file; weir ls lists its contents.",
            host: host
        )
    }

    static func isFile(_ name: String, host: String?) -> SourceError {
        SourceError(
            .invalidRequest,
            "\(name) is a file, not a folder; give the folder that it is in.",
            host: host
        )
    }

    static func notFound(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .notFound,
            "\(name) does not exist; list its folder with weir ls.",
            host: host,
            status: status
        )
    }

    static func forbidden(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .forbidden,
            "This account has no permission to read \(name); ask its owner for access, or use another account.",
            host: host,
            status: status
        )
    }

    static func overQuota(_ name: String, status: Int?, host: String?) -> SourceError {
        SourceError(
            .throttled,
            "\(host ?? "The service") sends no more of \(name) for now, because its limit of downloads or space is used"
                + " up; try again tomorrow.",
            host: host,
            status: status
        )
    }

    static func throttled(_ name: String, answer: ServiceAnswer, host: String) -> SourceError {
        let wait = answer.retryAfter.map { " for \(max(1, $0.components.seconds)) s" } ?? ""
        return SourceError(
            .throttled,
            "\(host) asks Weir to wait\(wait) before it requests \(name) (status \(answer.status)); try again after"
                + " that.",
            host: host,
            status: answer.status
        )
    }

    static func failed(_ name: String, status: Int, host: String) -> SourceError {
        SourceError(
            .originFailed,
            "\(host) failed to answer a request for \(name) (status \(status)); try again later.",
            host: host,
            status: status
        )
    }

    static func badAnswer(_ name: String, _ what: String, status: Int?, host: String)
        -> SourceError
    {
        SourceError(
            .badAnswer,
            "\(host) answered a request for \(name) with \(what); check the address of the service, or try again"
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
            "\(host) sends no bytes of \(name), although the link to it is new (status \(status)); try again later.",
            host: host,
            status: status
        )
    }

    static func locked(_ name: String, status: Int, host: String) -> SourceError {
        SourceError(
            .originFailed,
            "\(name) is locked at \(host) while another client writes to it; try again later.",
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
