// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Error messages for users when a station does not send its stream.
///
/// Each is one sentence: what Weir tried, what happened, what to do.
struct StationFailures: Sendable {
    /// The station's name, without a query or a credential.
    var display: String
    /// The requested host, with the port if that is unusual.
    var host: String
    /// The credential that the request carries.
    var sent = SentCredential.none

    /// The error for a request without a response.
    func unanswered(_ error: HTTPTransportError) -> SourceError {
        switch error.code {
        case .connectionLost:
            return self.error(
                .unreachable,
                "\(self.host) ended the connection for the stream of \(self.display) without an answer"
                    + " (\(error.reason)); try again later.",
                cause: error
            )
        default:
            let name = ResourceName(display: self.display, authority: self.host, fileName: nil)
            var failure = AnswerCheck(resource: name, range: .whole).failure(error, host: self.host)
            failure.range = nil
            return failure
        }
    }

    /// The error for a stream that broke.
    func brokenOff(_ error: HTTPTransportError) -> SourceError {
        switch error.code {
        case .connectionLost, .unreachable:
            self.error(
                .unreachable,
                "The stream of \(self.display) broke off (\(error.reason)); check the network, or connect again.",
                cause: error
            )
        case .malformed:
            self.error(
                .badAnswer,
                "The stream of \(self.display) can no longer be parsed (\(error.reason)); connect again.",
                cause: error
            )
        default:
            self.unanswered(error)
        }
    }

    /// The error for a status that refuses the stream.
    ///
    /// - Parameters:
    ///   - status: neither 200 nor a redirect.
    ///   - delay: the delay of `Retry-After`.
    /// - Returns: the error.
    func refused(status: Int, delay: Duration?) -> SourceError {
        switch status {
        case 401:
            return self.error(
                .unauthorized,
                self.unauthorized(self.sent.withoutPlace),
                status: status
            )
            .tellingOwner(self.unauthorized(self.sent))
        case 403:
            return self.error(
                .forbidden,
                "\(self.display) refuses to send its stream (403); its address may have expired, or the station may not"
                    + " be meant for this country.",
                status: status
            )
        case 404, 410:
            return self.error(
                .notFound,
                "There is no stream at \(self.display) (\(status)); look up the station's address again.",
                status: status
            )
        case _ where HTTPStatus.isBusy(status):
            let wait = delay.map { " for \($0.inSeconds)" } ?? ""
            return self.error(
                .throttled,
                "\(self.display) is full or off the air and asks Weir to wait\(wait) (status \(status)); try again"
                    + " later.",
                cause: delay.map { StationPatience(delay: $0) },
                status: status
            )
        case 500..<600:
            return self.error(
                .originFailed,
                "\(self.display) failed with status \(status); try again later.",
                status: status
            )
        default:
            return self.wrong("status \(status)", status: status)
        }
    }

    private func unauthorized(_ sent: SentCredential) -> String {
        "\(self.display) wants a user and a password (401), and \(sent.refusal); put them into the"
            + " address as user:password@host, or give an Authorization header."
    }

    /// The error for a response that breaks the protocol.
    func wrong(_ what: String, status: Int) -> SourceError {
        self.error(
            .badAnswer,
            "\(self.display) answered the request for its stream wrongly: it sent \(what); look up the station's"
                + " address again.",
            status: status
        )
    }

    /// The error for a chain of too many redirects, which began at the address `first`.
    func tooManyRedirects(_ count: Int, from first: String, to last: String) -> SourceError {
        self.error(
            .badAnswer,
            "\(first) redirects more than \(count) times, at last to \(last); look up the station's address again.",
            cause: EndlessRedirects()
        )
    }

    /// The error for a chain of redirects from the address `first` that returns to an earlier
    /// address.
    func circularRedirects(from first: String, to address: String) -> SourceError {
        self.error(
            .badAnswer,
            "\(first) redirects in a circle, again and again to \(address); look up the station's address again.",
            cause: EndlessRedirects()
        )
    }

    /// The error for an entry of a playlist whose address cannot be requested.
    func unusableEntry(_ cause: any Error) -> SourceError {
        self.error(
            .badAnswer,
            "The playlist at \(self.display) names an address that Weir cannot use; look up the station's address"
                + " again.",
            cause: cause
        )
    }

    private func error(
        _ code: SourceError.Code,
        _ message: String,
        cause: (any Error)? = nil,
        status: Int? = nil
    ) -> SourceError {
        SourceError(code, message, cause: cause, host: self.host, status: status)
    }
}
