// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirHTTP

/// The proof that the program that redeems an authorization code asked for it (PKCE, RFC 7636).
public struct ProofKey: Hashable, Sendable {
    /// The secret, sent only with the code to the token endpoint.
    ///
    /// Never log it.
    public let verifier: String

    /// Makes a verifier of 256 random bits: 43 characters (§4.1).
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    init(using generator: inout some RandomNumberGenerator) {
        self.verifier = String.randomBase64URL(byteCount: 32, using: &generator)
    }

    /// Creates a proof from an existing verifier.
    ///
    /// - Returns: `nil` unless it has 43 to 128 characters, all of them letters, digits, `-`, `.`,
    ///   `_` or `~` (§4.1).
    public init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count),
            verifier.utf8.allSatisfy(PercentCoding.isUnreserved)
        else { return nil }
        self.verifier = verifier
    }

    /// The challenge for the authorization request: the verifier's SHA-256 (§4.2, method `S256`).
    public var challenge: String {
        String(base64URL: SHA256.hash(data: Array(self.verifier.utf8)))
    }
}

extension ProofKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text without the verifier, for logs.
    public var description: String { "ProofKey(hidden)" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
