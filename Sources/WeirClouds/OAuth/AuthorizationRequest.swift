// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a browser is sent with to the service, so that the user allows the access (RFC 6749 §4.1.1).
public struct AuthorizationRequest: Sendable {
    /// Where the service asks the user: an `https` URL, perhaps with a query of its own.
    public var endpoint: String
    /// The application that asks.
    public var clientIdentifier: String
    /// Where the browser goes with the answer, exactly as it will be told to the token endpoint.
    public var redirect: String
    /// What access is asked for, in the service's words; `nil` for what the application is
    /// registered for.
    public var scope: String?
    /// What the answer must repeat, so that nobody else's answer is taken for ours.
    public var state: String
    /// What ties the code to whoever asked for it.
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
    ///   - proof: what ties the code to whoever asked for it; a new one unless given.
    ///   - additions: parameters of the service's own.
    public init(
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

    /// A state that nobody can guess.
    public static func randomState() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.random(byteCount: 24, using: &generator)
    }

    /// The URL to open in a browser.
    ///
    /// It holds no secret that is worth more than this one log-in.
    public var url: String {
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
