// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirProxy

/// The log of a proxy: counts requests and sent bytes, and writes lines and warnings.
final class ServingLog: Sendable {
    /// The warning for a system that does not report the user of a connection.
    static let unprotected =
        "warning: This system does not report which user owns a connection. Another user of this machine can open the"
        + " URL in the player's arguments. If others use the machine, give the player a URL of weir serve, in a"
        + " playlist."

    private struct State {
        var requests = 0
        var bytes: Int64 = 0
        /// The sent bytes that the cache held before a player requested them.
        var heldByteCount: Int64 = 0
        var hasRefused = false
        /// The failures that were reported.
        var said: Set<String> = []
        var namesPaths = true
    }

    /// How many failures are remembered; then the list is cleared.
    private static let mostFailures = 1000

    private let state: Mutex<State>
    private let isVerbose: Bool
    private let isJSON: Bool
    private let events: ServingEvents?
    private let warn: @Sendable (String) -> Void

    init(
        isVerbose: Bool,
        isJSON: Bool = false,
        namesPaths: Bool = true,
        events: ServingEvents? = nil,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.isVerbose = isVerbose
        self.state = Mutex(State(namesPaths: namesPaths))
        self.isJSON = isJSON
        self.events = events
        self.warn = warn
    }

    /// Whether messages name the path of a failed resource.
    var namesPaths: Bool {
        get { self.state.withLock { $0.namesPaths } }
        set { self.state.withLock { $0.namesPaths = newValue } }
    }

    var counts: (requests: Int, bytes: Int64, heldByteCount: Int64) {
        self.state.withLock { ($0.requests, $0.bytes, $0.heldByteCount) }
    }

    /// Counts a finished request.
    private func answered(_ record: ProxyRequestRecord) {
        self.state.withLock { state in
            state.requests += 1
            // The body of an error is Weir's text, so it does not count.
            guard let status = record.status, (200..<300).contains(status) else { return }
            state.bytes += record.sentByteCount
            state.heldByteCount += record.sentHeldByteCount
        }
        self.events?.finished(record)
        if self.isVerbose { Output.note(record.line) }
        if let failure = record.failure {
            self.failed(failure, record.ownerFailure ?? failure, record.target ?? "")
        }
    }

    /// Reports the failure of a resource once, since players repeat requests.
    ///
    /// `sentence` is public, as on the page. `ownerSentence` is for this program's terminal.
    private func failed(_ sentence: String, _ ownerSentence: String, _ target: String) {
        let isNew = self.state.withLock { state in
            if state.said.count >= Self.mostFailures { state.said = [] }
            return state.said.insert("\(target) \(ownerSentence)").inserted
        }
        guard isNew else { return }
        self.events?.failed(target, sentence)
        if self.isJSON {
            try? Output.json(["event": "resourceFailed", "path": target, "message": ownerSentence])
        }
        guard self.events?.hasLog != true else { return }
        // If there is only the named resource, the sentence is enough.
        let what = self.namesPaths ? "\(target.printableLine): " : ""
        Output.note("weir: \(what)\(ownerSentence)")
    }

    /// Counts requests, and warns about other events; about programs of other users only once.
    func told(_ event: ProxyEvent) {
        switch event {
        case .requestFinished(let record): self.answered(record)
        case .underrun: self.events?.ranDry()
        case .missed: break
        case .limited(let limit): self.events?.limited(limit)
        case .acceptingPaused(let reason): self.warn("warning: \(reason)")
        case .clientRefused(let client):
            // If the client had gone before the check, its user is unknown.
            guard let user = client.user else { return }
            let isFirst = self.state.withLock { state in
                defer { state.hasRefused = true }
                return !state.hasRefused
            }
            guard isFirst else { return }
            self.warn(
                "warning: Weir refused a request of a program of the user \(user), since only your own programs may"
                    + " open the URL; if it is your player, run it as yourself, or use weir serve."
            )
        }
    }
}

/// The log line of a request and its response.
///
/// It contains no secret and no query.
extension ProxyRequestRecord {
    var line: String {
        let what = "\(self.method ?? "?") \(self.target ?? "?")"
        let range = self.range.map { " bytes \($0)" } ?? ""
        let status = self.status.map(String.init) ?? "closed before a response"
        let seconds = (self.duration / .milliseconds(1)).rounded() / 1000
        let end = self.isAborted ? ", incomplete" : ""
        return
            "\(what)\(range) → \(status), \(ByteSize.format(self.sentByteCount)) in \(seconds) s\(end)"
    }
}
