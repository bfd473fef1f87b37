// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirProxy

/// A request as a line of the log: what was asked, what was answered.
///
/// No secret and no query is in it.
enum RequestLine {
    static func text(_ record: ProxyRequestRecord) -> String {
        let what = "\(record.method ?? "?") \(record.target ?? "?")"
        let range = record.range.map { " bytes \($0)" } ?? ""
        let status = record.status.map(String.init) ?? "left before an answer"
        let seconds = (record.duration / .milliseconds(1)).rounded() / 1000
        let end = record.isAborted ? ", not to its end" : ""
        return
            "\(what)\(range) → \(status), \(ByteSize.format(record.bytesSent)) in \(seconds) s\(end)"
    }
}
