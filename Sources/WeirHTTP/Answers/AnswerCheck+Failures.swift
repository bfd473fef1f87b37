// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Errors for users when no response arrived, or only a part of it.
extension AnswerCheck {
    /// The error for a failure of the transport before a response.
    func failure(_ error: HTTPTransportError, host: String) -> SourceError {
        let (code, sentence): (SourceError.Code, String) =
            switch error.code {
            case .unreachable:
                (
                    .unreachable,
                    "\(host) cannot be reached (\(error.reason)); check the address, the network and the"
                        + " proxy settings."
                )
            case .connectTimedOut:
                (
                    .timedOut,
                    "\(host) did not accept a connection in time (\(error.reason)); check the address, the"
                        + " network and the proxy settings."
                )
            case .slotTimedOut, .busy:
                (
                    .timedOut,
                    "Weir did not request \(self.resource.display) from \(host), because all connections that it opens"
                        + " to one host are in use (\(error.reason)); stop other playback from the host, or try again"
                        + " later."
                )
            case .heldTooLong:
                (
                    .timedOut,
                    "Weir did not request \(self.resource.display) from \(host), because of the limit of requests per"
                        + " second (\(error.reason)); try again later, or raise requests-per-second."
                )
            case .firstByteTimedOut:
                (
                    .timedOut,
                    "\(host) did not answer the request for \(self.resource.display) in time (\(error.reason)); try"
                        + " again later."
                )
            case .idleTimedOut:
                (
                    .timedOut,
                    "\(host) stopped sending \(self.resource.display) (\(error.reason)); check the network or try"
                        + " again later."
                )
            case .connectionLost:
                (
                    .unreachable,
                    "\(host) closed the connection again and again without an answer (\(error.reason));"
                        + " try again later."
                )
            case .notTLS:
                (
                    .insecure,
                    "The address begins with https://, but \(host) does not speak TLS at this port (\(error.reason));"
                        + " begin it with http:// if the server speaks http, or check the port."
                )
            case .handshakeBrokenOff:
                (
                    .insecure,
                    "\(host) closed the connection during the TLS handshake; if it speaks http, use http:// instead of"
                        + " https://, else check the port or try again later."
                )
            case .insecure:
                (
                    .insecure,
                    "The identity of \(host) could not be verified (\(error.reason)); check the address and"
                        + " the clock, or add the certificate of its issuer as a CA file if you trust it."
                )
            case .proxyRefused:
                (
                    .unauthorized,
                    "The proxy on the way to \(host) refused to connect (\(error.reason)); check the proxy"
                        + " settings and its user and password."
                )
            case .forbiddenAddress:
                (
                    .forbidden,
                    "Weir does not connect to \(host) for a playlist, because \(error.reason)."
                )
            case .closed:
                (
                    .closed,
                    "\(self.resource.display) was not read, because the connection pool has been shut down;"
                        + " open it again."
                )
            default:
                (
                    .badAnswer,
                    "\(host) sent an answer that Weir cannot parse (\(error.reason)); check the address and its port."
                )
            }
        var failure = self.error(code, sentence, cause: error)
        failure.host = host
        return failure
    }

    /// The error for a body that broke off and could not be continued.
    func brokenOff(_ error: HTTPTransportError?, at offset: Int64, length: Int64?) -> SourceError {
        if let error, error.code == .idleTimedOut {
            return self.failure(error, host: self.resource.authority)
        }
        let whole = length.map { " of \($0)" } ?? ""
        var failure = self.error(
            .truncated,
            "\(self.resource.display) breaks off again and again at byte \(offset)\(whole); try again later, or ask the"
                + " operator of \(self.resource.authority).",
            cause: error
        )
        failure.length = length ?? failure.length
        return failure
    }

    /// The error for a chain of more redirects than Weir follows.
    ///
    /// - Parameters:
    ///   - count: how many redirects Weir followed.
    ///   - last: the target of the last redirect.
    /// - Returns: the error.
    func tooManyRedirects(_ count: Int, to last: String) -> SourceError {
        self.error(
            .badAnswer,
            "\(self.resource.display) redirects more than \(count) times, at last to \(last); open it in a browser and give"
                + " the address that it ends at.",
            cause: EndlessRedirects()
        )
    }

    /// The error for a chain of redirects that returns to an earlier address.
    ///
    /// - Parameter address: the address.
    /// - Returns: the error.
    func circularRedirects(to address: String) -> SourceError {
        self.error(
            .badAnswer,
            "\(self.resource.display) redirects in a circle, again and again to \(address); open it in a browser and give the"
                + " address that it ends at.",
            cause: EndlessRedirects()
        )
    }
}

/// The redirects lead to no response; a retry at the same address cannot help.
package struct EndlessRedirects: Error, Hashable {
    package init() {}
}
