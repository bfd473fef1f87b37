// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirHTTP

/// The request with which a browser asks a service for the user's consent (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable {
    /// The address of the service's page: an `https` URL, possibly with a query of its own.
    package var endpoint: String
    /// The application that asks for access.
    public var clientIdentifier: String
    /// The address to which the service redirects, exactly as sent to the token endpoint.
    public var redirect: String
    /// The requested access, in the service's words; `nil` for the access that the application
    /// registered.
    public var scope: String?
    /// A value that the answer must repeat, so that answers to other requests are rejected.
    public var state: String
    /// The proof that the program that redeems the code is the one that asked for it.
    public var proof: ProofKey
    /// Parameters of this service alone, such as `force_confirm`.
    public var additions: [(name: String, value: String)]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - endpoint: the address of the service's page.
    ///   - clientIdentifier: the application that asks for access.
    ///   - redirect: the address to which the service redirects.
    ///   - scope: the requested access; `nil` for the access that the application registered.
    ///   - state: the value that the answer must repeat; by default 192 random bits.
    ///   - proof: the proof for redeeming the code; by default a new one.
    ///   - additions: parameters of this service alone.
    package init(
        endpoint: String,
        clientIdentifier: String,
        redirect: String,
        scope: String? = nil,
        state: String = AuthorizationRequest.randomState(),
        proof: ProofKey = ProofKey(),
        additions: [(name: String, value: String)] = []
    ) {
        self.endpoint = endpoint
        self.clientIdentifier = clientIdentifier
        self.redirect = redirect
        self.scope = scope
        self.state = state
        self.proof = proof
        self.additions = additions
    }

    /// Makes a state that cannot be guessed.
    public static func randomState() -> String {
        var generator = SystemRandomNumberGenerator()
        return String.randomBase64URL(byteCount: 24, using: &generator)
    }

    /// The URL to open in a browser.
    ///
    /// Its secrets are valid only for this log-in.
    package var url: String {
        var form = FormBody([
            ("response_type", "code"),
            ("client_id", self.clientIdentifier),
            ("redirect_uri", self.redirect),
            ("scope", self.scope),
            ("state", self.state),
            ("code_challenge", self.proof.challenge),
            ("code_challenge_method", "S256"),
        ])
        for (name, value) in self.additions { form.append(name, value) }
        let endpoint = self.endpoint.prefix { $0 != "#" }
        guard endpoint.contains("?") else { return "\(endpoint)?\(form.text)" }
        let isOpen = endpoint.hasSuffix("?") || endpoint.hasSuffix("&")
        return "\(endpoint)\(isOpen ? "" : "&")\(form.text)"
    }
}

extension String {
    private static let base64URLAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// Encodes bytes as base64url (RFC 4648 §5) without padding, as RFC 7636 requires.
    package init(base64URL bytes: some Sequence<UInt8>) {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(Self.base64URLAlphabet[Int(bits >> held) & 63])
            }
            bits &= (1 << held) - 1
        }
        if held > 0 { text.append(Self.base64URLAlphabet[Int(bits << (6 - held)) & 63]) }
        self.init(decoding: text, as: UTF8.self)
    }

    /// Random bytes from a generator, as base64url text.
    static func randomBase64URL(
        byteCount: Int,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return String(base64URL: bytes)
    }
}
