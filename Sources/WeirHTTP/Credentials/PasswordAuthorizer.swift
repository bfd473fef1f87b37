// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// Sends a user and a password: Basic (RFC 7617), or Digest (RFC 7616) once the server has asked for it.
///
/// The first request carries Basic, as the user meant it by an address and a password, unless only Digest is
/// allowed. A password that was refused is not sent again and again: servers count that.
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
        /// One for all answers to a challenge: the secret of a session is made of the first (RFC 7616 §3.4.2), and the
        /// count makes each answer another one.
        var clientNonce = ""
    }

    /// Where the password was read, if that is known.
    package let credentialPlace: String?
    private let user: String
    private let password: String
    private let scheme: Scheme
    private let makeNonce: @Sendable () -> String
    private let state = Mutex(State())

    /// An authorizer for one user.
    ///
    /// - Parameters:
    ///   - user: the name; no colon if Basic is used.
    ///   - password: the password, or an application's own.
    ///   - scheme: how it may be sent.
    ///   - place: where the password was read, if that is known.
    ///   - makeNonce: makes a client nonce, 16 random hexadecimal digits unless a test wants others.
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

    /// The user and the password of an address.
    package convenience init(_ info: URLUserInfo, scheme: Scheme = .any) {
        self.init(
            user: info.user,
            password: info.password,
            scheme: scheme,
            place: "its address"
        )
    }

    /// That of the user with the password, so that a wrong password opens nothing.
    package var credentialScope: CredentialScope { .credential(parts: self.user, self.password) }

    /// Basic, or Digest for this very request.
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
    /// Another one may do better if the server had not seen this password for a nonce, or says that the nonce was only
    /// old, or had taken it before: not every server says so.
    package func refused(_ authorization: String?, challenges: [String]) async throws -> Bool {
        guard self.scheme != .basic, let challenge = DigestChallenge.best(of: challenges) else {
            return false
        }
        let clientNonce = self.makeNonce()
        return self.state.withLock { state in
            let isDigest = authorization?.hasPrefix("Digest ") == true
            let known = isDigest ? state.challenge : nil
            if let known, authorization?.contains(", nonce=\"\(known.nonce)\"") != true {
                // Another request was first to learn the next challenge.
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
    /// The user alone.
    package var customMirror: Mirror { Mirror(self, children: ["user": self.user]) }
}
