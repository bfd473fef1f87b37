// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The reply of a log-in's listener to a request.
struct RedirectReply {
    /// The status of the HTTP response.
    let status: Int
    /// The page.
    let page: AnswerPage
    /// The outcome of the log-in; `nil` to continue waiting.
    let outcome: Result<AuthorizationAnswer, AuthorizationAnswer.Failure>?

    /// Decides about a request; it has no effects.
    ///
    /// A query with a wrong state does not end the log-in, since any web page can send a browser to
    /// this address.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - target: the request target, unchanged.
    ///   - hosts: the values of the request's `Host` fields.
    ///   - path: the path of the redirect.
    ///   - state: the value that the answer must repeat.
    init(method: String, target: String, hosts: [String], path: String, state: String) {
        guard hosts.count == 1, Self.isLoopback(hosts[0]) else {
            self.init(403, .misdirected)
            return
        }
        let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.first.map(String.init) == path else {
            self.init(404, .nothingHere)
            return
        }
        guard method == "GET" else {
            self.init(405, .nothingHere)
            return
        }
        do throws(AuthorizationAnswer.Failure) {
            let query = pieces.count > 1 ? pieces[1] : ""
            let answer = try AuthorizationAnswer(reading: query, state: state)
            self.init(200, .done, .success(answer))
        } catch {
            switch error {
            case .wrongState: self.init(400, .foreign)
            case .noCode: self.init(400, .refused, .failure(error))
            case .refused: self.init(200, .refused, .failure(error))
            }
        }
    }

    private init(
        _ status: Int,
        _ page: AnswerPage,
        _ outcome: Result<AuthorizationAnswer, AuthorizationAnswer.Failure>? = nil
    ) {
        self.status = status
        self.page = page
        self.outcome = outcome
    }

    /// Whether a `Host` field names this machine.
    ///
    /// A hostile web page may have a host name that resolves to this machine (DNS rebinding). Its
    /// requests name that host, and are rejected.
    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return ["127.0.0.1", "localhost", "[::1]"].contains { name in
            guard host.hasPrefix(name) else { return false }
            let rest = host.dropFirst(name.count)
            return rest.isEmpty
                || rest.first == ":"
                    && rest.dropFirst().utf8.allSatisfy { byte in
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    }
        }
    }
}
