// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the listener of a log-in does with a request.
struct RedirectReply {
    /// The status of the HTTP answer.
    let status: Int
    /// The page.
    let page: AnswerPage
    /// What the log-in ends with; `nil` to go on waiting.
    let outcome: Result<AuthorizationAnswer, AuthorizationAnswer.Failure>?

    /// Decides; sees everything that counts and does nothing.
    ///
    /// A query with a wrong state does not end the log-in: any page of the web can send a browser
    /// here.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - target: its target, as it came.
    ///   - hosts: the values of its `Host` fields.
    ///   - path: the path that the browser was told.
    ///   - state: what the answer must repeat.
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

    /// Whether a `Host` field names this machine: a page whose name was made to resolve to it sends
    /// that name, and is turned away.
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

/// What the browser shows at the end of a log-in: a page that needs nothing from anywhere.
enum AnswerPage: Hashable, Sendable {
    /// It is done.
    case done
    /// The service said no.
    case refused
    /// It belongs to another log-in.
    case foreign
    /// There is nothing at this address.
    case nothingHere
    /// The request was meant for another host.
    case misdirected

    private var heading: String {
        switch self {
        case .done: "You are logged in"
        case .refused: "You are not logged in"
        case .foreign: "This is not the log-in that Weir waits for"
        case .nothingHere: "There is nothing here"
        case .misdirected: "This address is for this computer only"
        }
    }

    private var advice: String {
        switch self {
        case .done: "You can close this window and go back to Weir."
        case .refused:
            "The service did not allow the access. You can close this window; Weir says what to do."
        case .foreign: "Close this window and use the newest one, or start the log-in again."
        case .nothingHere: "Weir listens here for the end of a log-in. You can close this window."
        case .misdirected: "You can close this window."
        }
    }

    /// The page as HTML; nothing in it comes from the request.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Weir</title>
        <style>
        :root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
        body { max-width: 32rem; margin: 20vh auto; padding: 0 1.5rem }
        </style>
        <h1>\(self.heading)</h1>
        <p>\(self.advice)</p>
        </html>

        """
    }
}
