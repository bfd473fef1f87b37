// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP

/// What an answer itself can do wrong, whatever the platform says of it.
enum DeliveryFailure {
    /// It ended before it began.
    static var noHead: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection closed without an answer")
    }

    /// Its body has fewer bytes than it announced.
    static var cutShort: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the body ended before its announced end")
    }

    /// The platform asked again, and another answer began.
    static var begunAnew: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection was lost, and the answer began anew")
    }

    /// Its body has more bytes than it announced.
    static var excess: HTTPTransportError {
        HTTPTransportError(.malformed, "more bytes than it announced")
    }

    /// It switches to a protocol that nobody asked for.
    static var upgrade: HTTPTransportError {
        HTTPTransportError(.malformed, "it switches to another protocol unasked")
    }

    /// Nobody can tell how long its body is.
    static var unclearLength: HTTPTransportError {
        HTTPTransportError(.malformed, "it announces no length that can be understood")
    }

    /// The platform takes the coding off its body, so that its bytes are not what was sent.
    static var coded: HTTPTransportError {
        HTTPTransportError(.malformed, "its bytes come in a coding that was not asked for")
    }

    /// More came than is kept for a consumer who does not pull.
    static var behind: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection was given up, since nobody pulled")
    }

    /// The transport was shut down meanwhile.
    static var closed: HTTPTransportError {
        HTTPTransportError(.closed, "the transport was shut down")
    }
}
