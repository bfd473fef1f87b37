// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The page that the browser shows at the end of a log-in; it loads nothing else.
enum AnswerPage: Hashable, Sendable {
    /// The log-in succeeded.
    case done
    /// The service refused, or its answer has no code.
    case refused
    /// The answer belongs to another log-in.
    case foreign
    /// There is no page at this address.
    case nothingHere
    /// The request was meant for another host.
    case misdirected

    private var heading: String {
        switch self {
        case .done: "You are logged in"
        case .refused: "You are not logged in"
        case .foreign: "This is not the log-in that Weir waits for"
        case .nothingHere: "There is no page at this address"
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

    /// The page as HTML; it contains nothing from the request.
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
