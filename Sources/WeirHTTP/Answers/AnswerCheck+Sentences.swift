// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Error messages for users.
///
/// Each is one sentence: what Weir tried, what happened, what to do. Addresses appear without user, password and
/// query.
extension AnswerCheck {
    /// The error for a status that Weir does not retry.
    func refusal(status: Int) -> SourceError {
        if let answerer, status >= 400 { return self.refusal(status: status, by: answerer) }
        return switch status {
        case 401:
            self.error(.unauthorized, self.unauthorized(self.sent.withoutPlace), status: status)
                .tellingOwner(self.unauthorized(self.sent))
        case 403:
            self.error(.forbidden, self.forbidden(self.sent.withoutPlace), status: status)
                .tellingOwner(self.forbidden(self.sent))
        case 404:
            self.error(
                .notFound,
                "There is nothing at \(self.resource.display) (404 Not Found); check the address.",
                status: status
            )
        case 410:
            self.error(
                .notFound,
                "\(self.resource.display) is gone for good (410 Gone); get a new link or another address.",
                status: status
            )
        case 416:
            self.error(
                .rangeNotSatisfiable,
                "\(self.resource.display) answered a request for the whole resource with 416 (Range Not Satisfiable);"
                    + " ask the operator of \(self.resource.authority).",
                status: status
            )
        case 400..<500:
            self.error(
                .forbidden,
                "\(self.resource.display) refused the request (status \(status)); check the address and the"
                    + " headers that are sent.",
                status: status
            )
        case 500..<600:
            self.error(
                .originFailed,
                "\(self.resource.display) failed with status \(status); try again later, or ask the operator of"
                    + " \(self.resource.authority).",
                status: status
            )
        default:
            self.badAnswer("status \(status)", status: status)
        }
    }

    /// The error for a status of another host, to which the resource's own host has redirected.
    ///
    /// The status says nothing about the resource itself.
    private func refusal(status: Int, by answerer: String) -> SourceError {
        let redirect = "\(self.resource.display) redirects to \(answerer), which"
        let advice = "ask the operator of \(self.resource.authority)"
        var error =
            switch status {
            case 401:
                self.error(
                    .unauthorized,
                    "\(redirect) wants a credential of its own (401 Unauthorized); \(advice), or get a new link.",
                    status: status
                )
            case 403:
                self.error(
                    .forbidden,
                    "\(redirect) refuses to send it (403 Forbidden); get a new link if this one has expired, or"
                        + " \(advice).",
                    status: status
                )
            case 404, 410:
                self.error(
                    .notFound,
                    "\(redirect) has nothing there (\(status == 404 ? "404 Not Found" : "410 Gone")); get a new link,"
                        + " or \(advice).",
                    status: status
                )
            case 500..<600:
                self.error(
                    .originFailed,
                    "\(redirect) failed with status \(status); try again later, or \(advice).",
                    status: status
                )
            default:
                self.error(
                    .forbidden,
                    "\(redirect) refused the request (status \(status)); \(advice).",
                    status: status
                )
            }
        error.host = answerer
        return error
    }

    /// The sentence for 401; it advises on a credential that is missing or was refused.
    private func unauthorized(_ sent: SentCredential) -> String {
        let advice =
            sent == .none
            ? "give one, for example in an Authorization header"
            : "check that it is valid and has not expired"
        return
            "\(self.resource.display) wants a credential (401 Unauthorized), and \(sent.refusal); \(advice)."
    }

    /// The sentence for 403; the cause may be the credential or the link.
    private func forbidden(_ sent: SentCredential) -> String {
        if let credential = sent.noun {
            return
                "\(self.resource.display) cannot be read with \(credential) (403 Forbidden); check its permissions, or"
                + " get a new link if this one has expired."
        }
        return
            "\(self.resource.display) cannot be read (403 Forbidden), and no credential was sent; give one, for example"
            + " in an Authorization header, or get a new link if this one has expired."
    }

    /// The resource, and the host that responds for it, as the beginning of a sentence.
    private var answering: String {
        self.answerer.map { "\(self.resource.display) redirects to \($0), which" }
            ?? self.resource.display
    }

    /// The error for a status that remained after every retry.
    func exhausted(status: Int) -> SourceError {
        switch status {
        case 408:
            self.error(
                .timedOut,
                "\(self.resource.display) timed out waiting for our request, again and again (408); check the network"
                    + " and try again.",
                status: status
            )
        case 429:
            self.error(
                .throttled,
                "\(self.answering) answers that it received too many requests (429 Too Many Requests); try again"
                    + " later.",
                status: status
            )
        default:
            self.error(
                .originFailed,
                "\(self.answering) failed again and again with status \(status); try again later, or ask the operator"
                    + " of \(self.resource.authority).",
                status: status
            )
        }
    }

    /// The error for a requested delay that is longer than Weir waits.
    func throttled(status: Int, delay: Duration) -> SourceError {
        let wait =
            delay >= .longestRetryAfter ? "a very long time" : "\(delay.components.seconds) seconds"
        return self.error(
            .throttled,
            "\(self.answering) asks Weir to wait for \(wait) (status \(status)); try again after that.",
            status: status
        )
    }

    /// The error for a response that breaks the protocol.
    func badAnswer(_ what: String, status: Int?) -> SourceError {
        self.error(
            .badAnswer,
            "\(self.resource.display) answered wrongly: it sent \(what); ask the operator of"
                + " \(self.resource.authority), or try another address.",
            status: status
        )
    }

    /// A field of a response in a form that an error message may repeat.
    static func shown(_ name: String, _ value: String) -> String {
        "\(name): \(self.printable(value))"
    }

    /// The start of a value, without characters that a terminal interprets.
    static func printable(_ value: String) -> String {
        let bytes = value.utf8.lazy.filter { (0x20...0x7E).contains($0) }
        return String(decoding: bytes.prefix(60), as: UTF8.self)
    }

    /// The error for 304 to a request without a condition.
    func uncalledFor304() -> SourceError {
        self.badAnswer("304 to a request without a condition", status: 304)
    }

    /// The error for a resource that has changed.
    func changed(_ how: String, status: Int?) -> SourceError {
        self.error(
            .changed,
            "\(self.resource.display) \(how), so it has changed while it was being read; read it again from the"
                + " start.",
            status: status
        )
    }

    /// The error for a continuation when nothing proves that it belongs to the earlier bytes.
    func unjoinable(at offset: Int64) -> SourceError {
        self.error(
            .changed,
            "\(self.resource.display) cannot be continued at byte \(offset), because it is sent without ranges,"
                + " length and validator; read it again from the start.",
            status: 200
        )
    }

    /// The error for a page where media was expected.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - isHTML: `true` for HTML, `false` for plain text.
    /// - Returns: the error.
    func page(status: Int?, isHTML: Bool = true) -> SourceError {
        self.error(
            .notMedia,
            "\(self.resource.display) sent \(isHTML ? "an HTML page" : "plain text") where media was expected; open it"
                + " in a browser and read it, it may ask you to sign in.",
            status: status
        )
    }

    /// The error for a range that starts past the end.
    func pastTheEnd(_ range: RequestedRange, length: Int64?) -> SourceError {
        let bytes = length.map { ", which has \($0) bytes" } ?? ""
        var error = self.error(
            .rangeNotSatisfiable,
            "The range \(range) of \(self.resource.display) starts past the end of it\(bytes); ask for an"
                + " earlier one.",
            status: 416
        )
        error.length = length
        return error
    }

    /// Makes an error with all known facts.
    func error(
        _ code: SourceError.Code,
        _ message: String,
        cause: (any Error)? = nil,
        status: Int? = nil
    ) -> SourceError {
        SourceError(
            code,
            message,
            cause: cause,
            range: self.boundsForErrors,
            host: self.resource.authority,
            status: status,
            length: self.version?.length
        )
    }

    /// The requested bytes, as far as they are known without the length.
    private var boundsForErrors: Range<Int64>? {
        if let length = self.version?.length { return self.range.resolved(inLength: length) }
        switch self.range {
        case .from(let lower): return lower..<Int64.max
        case .span(let span): return span
        case .suffix: return nil
        }
    }
}
