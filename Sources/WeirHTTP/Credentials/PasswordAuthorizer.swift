// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// Sends a user and a password: Basic (RFC 7617), or Digest (RFC 7616) after a challenge.
///
/// The first request carries Basic unless only Digest is allowed. A refused password is not sent
/// repeatedly, since servers count such attempts.
package final class PasswordAuthorizer: RequestAuthorizer {
    /// How the password may be sent.
    package enum Scheme: String, Sendable, CaseIterable {
        /// Basic first, and Digest if the server asks for it.
        case any
        /// Basic only.
        case basic
        /// Digest only; the password itself never leaves the machine.
        case digest
    }

    private struct State {
        var challenge: DigestChallenge?
        var count: UInt32 = 0
        /// One client nonce for all uses of a challenge.
        ///
        /// The first nonce is part of the session's secret (RFC 7616 §3.4.2). The count makes each
        /// response value different.
        var clientNonce = ""
    }

    /// The source of the password, if known.
    package let credentialPlace: String?
    private let user: String
    private let password: String
    private let scheme: Scheme
    private let makeNonce: @Sendable () -> String
    private let state = Mutex(State())

    /// Creates an authorizer for one user.
    ///
    /// - Parameters:
    ///   - user: the name; no colon if Basic is used.
    ///   - password: the password of the user or of an application.
    ///   - scheme: how the password may be sent.
    ///   - place: the source of the password, if known.
    ///   - makeNonce: makes a client nonce; by default 16 random hexadecimal digits.
    package init(
        user: String,
        password: String,
        scheme: Scheme = .any,
        place: String? = nil,
        makeNonce: @escaping @Sendable () -> String = {
            String(UInt64.random(in: .max / 2 ... .max), radix: 16)
        }
    ) {
        self.user = user
        self.password = password
        self.scheme = scheme
        self.credentialPlace = place
        self.makeNonce = makeNonce
    }

    /// Creates an authorizer for the user and the password of an address.
    package convenience init(_ info: URLUserInfo, scheme: Scheme = .any) {
        self.init(
            user: info.user,
            password: info.password,
            scheme: scheme,
            place: "its address"
        )
    }

    /// The scope of the user with this password; a wrong password does not open the user's cached
    /// data.
    package var credentialScope: CredentialScope { .credential(parts: self.user, self.password) }

    /// The value for this request: Basic, or Digest after a challenge.
    package func authorization(method: String, url: OriginURL) async throws -> String? {
        let digest = self.state.withLock { state -> (DigestChallenge, UInt32, String)? in
            guard let challenge = state.challenge else { return nil }
            state.count &+= 1
            return (challenge, state.count, state.clientNonce)
        }
        if let (challenge, count, clientNonce) = digest {
            return challenge.answer(
                user: self.user,
                password: self.password,
                method: method,
                target: url.requestTarget,
                count: count,
                clientNonce: clientNonce
            )
        }
        guard self.scheme != .digest else { return nil }
        return "Basic \("\(self.user):\(self.password)".utf8.base64Encoded)"
    }

    /// Takes a digest challenge for the next request.
    ///
    /// Returns `true` if another request may succeed, for one of these reasons:
    ///
    /// - The refused request did not prove this password with a digest.
    /// - The server marks the nonce as stale.
    /// - The nonce had been used before with `qop`: not every server marks stale nonces.
    /// - Another request has already learned a newer challenge.
    package func refused(_ authorization: String?, challenges: [String]) async throws -> Bool {
        guard self.scheme != .basic, let challenge = DigestChallenge.best(of: challenges) else {
            return false
        }
        let clientNonce = self.makeNonce()
        return self.state.withLock { state in
            let isDigest = authorization?.hasPrefix("Digest ") == true
            let known = isDigest ? state.challenge : nil
            if let known, authorization?.contains(", nonce=\"\(known.nonce)\"") != true {
                // Another request has already learned the next challenge.
                return true
            }
            let wasNeverTaken = authorization?.contains(", nc=00000001") == true
            state.challenge = challenge
            state.count = 0
            state.clientNonce = clientNonce
            return known == nil || challenge.isStale || !wasNeverTaken && known?.hasQuality == true
        }
    }
}

extension PasswordAuthorizer: CustomReflectable {
    /// Shows only the user.
    package var customMirror: Mirror { Mirror(self, children: ["user": self.user]) }
}
