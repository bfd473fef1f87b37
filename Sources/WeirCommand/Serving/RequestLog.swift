// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirProxy

/// A request as a line of the log: what was asked, what was answered.
///
/// No secret and no query is in it.
extension ProxyRequestRecord {
    var line: String {
        let what = "\(self.method ?? "?") \(self.target ?? "?")"
        let range = self.range.map { " bytes \($0)" } ?? ""
        let status = self.status.map(String.init) ?? "left before an answer"
        let seconds = (self.duration / .milliseconds(1)).rounded() / 1000
        let end = self.isAborted ? ", not to its end" : ""
        return
            "\(what)\(range) → \(status), \(ByteSize.format(self.bytesSent)) in \(seconds) s\(end)"
    }
}

/// Says, once a run, that a program of another user asked for what a player is given.
final class RefusedClientWarning: Sendable {
    /// What is said where the system does not tell whose a connection is.
    static let unprotected =
        "warning: This system does not tell whose a connection is, so that another user of this machine can open what is"
        + " played with the URL in the player's arguments; where others use the machine, give the player a URL of weir"
        + " serve, in a playlist."

    private let hasWarned = Mutex(false)
    private let warn: @Sendable (String) -> Void

    /// - Parameter warn: is given the sentence.
    init(_ warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
    }

    /// A client was refused; of one that had gone before it was asked about nothing is said.
    func refused(_ client: RefusedClient) {
        guard let user = client.user else { return }
        let isFirst = self.hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        self.warn(
            "warning: A program of the user \(user) tried to open what is played and was refused, since only your own"
                + " programs may; if it is your player, run it as yourself, or use weir serve."
        )
    }
}

/// Counts what players asked for and got.
final class SentBytes: Sendable {
    private let state = Mutex((requests: 0, bytes: Int64(0)))

    /// The counts now.
    var counts: (requests: Int, bytes: Int64) { self.state.withLock { $0 } }

    func count(_ record: ProxyRequestRecord) {
        self.state.withLock { counts in
            counts.requests += 1
            // The text of an error is Weir's own, not the resource's.
            guard let status = record.status, (200..<300).contains(status) else { return }
            counts.bytes += record.bytesSent
        }
    }
}
