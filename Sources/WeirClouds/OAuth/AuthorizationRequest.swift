// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirHTTP

/// What a browser is sent with to the service, so that the user allows the access (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable {
    /// Where the service asks the user: an `https` URL, perhaps with a query of its own.
    package var endpoint: String
    /// The application that asks.
    public var clientIdentifier: String
    /// Where the browser goes with the answer, exactly as it will be told to the token endpoint.
    public var redirect: String
    /// What access is asked for, in the service's words; `nil` for what the application is
    /// registered for.
    public var scope: String?
    /// What the answer must repeat, so that no other answer is taken for ours.
    public var state: String
    /// What ties the code to the program that asked for it.
    public var proof: ProofKey
    /// Parameters of the service's own, such as `force_confirm`.
    public var additions: [(name: String, value: String)]

    /// Puts a request together.
    ///
    /// - Parameters:
    ///   - endpoint: where the service asks the user.
    ///   - clientIdentifier: the application that asks.
    ///   - redirect: where the browser goes with the answer.
    ///   - scope: what access is asked for; `nil` for what the application is registered for.
    ///   - state: what the answer must repeat; 192 random bits unless given.
    ///   - proof: what ties the code to the program that asked for it; a new one unless given.
    ///   - additions: parameters of the service's own.
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

    /// A state that cannot be guessed.
    public static func randomState() -> String {
        var generator = SystemRandomNumberGenerator()
        return String.randomBase64URL(byteCount: 24, using: &generator)
    }

    /// The URL to open in a browser.
    ///
    /// It holds no secret that is worth more than this one log-in.
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

    /// Encodes bytes as base64url (RFC 4648 §5), without padding, as RFC 7636 wants it.
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

    /// Random bytes from the system, which cannot be guessed, as text.
    static func randomBase64URL(
        byteCount: Int,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return String(base64URL: bytes)
    }
}
