// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a token endpoint answers (RFC 6749 §5).
struct TokenAnswer: Hashable, Sendable {
    /// Why there are no tokens.
    enum Failure: Error, Hashable {
        /// The service says no, in its own words (§5.2): `invalid_grant` means to log in again.
        case refused(error: String, explanation: String?)
        /// It is no object of JSON.
        case noObject
        case noAccessToken
        /// A token holds what no header field can carry.
        case unusableToken
        /// The token is of a kind that Weir does not know how to send (§7.1).
        case unknownTokenType
        /// It is longer than any such answer.
        case tooLarge(limit: Int)
    }

    /// No answer is longer.
    static let largestSize = 256 * 1024
    /// As long as any service means: a token that ends later ends then.
    static let longestLife: Int64 = 100 * 366 * 86_400

    let accessToken: String
    let refreshToken: String?
    /// How many seconds the access token lives, from 0 to ``longestLife``; `nil` if it is not said.
    let lifetime: Int64?
    let tokenType: String?
    let scope: String?
    private let error: String?
    private let explanation: String?

    /// Reads the body of an answer of any status.
    init(_ body: [UInt8]) throws(Failure) {
        guard body.count <= Self.largestSize else { throw .tooLarge(limit: Self.largestSize) }
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            throw .noObject
        }
        if let error = answer.error, !error.isEmpty {
            throw .refused(error: error, explanation: answer.explanation)
        }
        guard !answer.accessToken.isEmpty else { throw .noAccessToken }
        guard answer.accessToken.utf8.allSatisfy(Self.isVisible),
            (answer.refreshToken ?? "").utf8.allSatisfy(Self.isVisible)
        else { throw .unusableToken }
        if let type = answer.tokenType?.lowercased(), type != "bearer", type != "oauth" {
            throw .unknownTokenType
        }
        self = answer
    }

    /// The tokens to keep.
    ///
    /// - Parameters:
    ///   - now: the time of the answer, in seconds since 1970.
    ///   - old: the tokens that were refreshed: what the answer does not repeat stays (§6).
    /// - Returns: the tokens with the time of their end.
    func tokens(at now: Int64, replacing old: AccountTokens? = nil) -> AccountTokens {
        let expiry = self.lifetime.map { now.addingReportingOverflow($0) }
        return AccountTokens(
            accessToken: self.accessToken,
            refreshToken: self.refreshToken ?? old?.refreshToken,
            expirySeconds: expiry.map { $0.overflow ? .max : $0.partialValue },
            clientIdentifier: old?.clientIdentifier,
            clientSecret: old?.clientSecret,
            scope: self.scope ?? old?.scope
        )
    }

    /// RFC 6749 appendix A.12: `VSCHAR`, of which no blank makes sense in a field.
    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

extension TokenAnswer: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case tokenType = "token_type"
        case scope
        case error
        case explanation = "error_description"
    }

    /// Reads the members that matter; one of a wrong type counts as missing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? {
            try? container.decode(String.self, forKey: key)
        }
        self.accessToken = text(.accessToken) ?? ""
        self.refreshToken = text(.refreshToken).flatMap { $0.isEmpty ? nil : $0 }
        self.tokenType = text(.tokenType)
        self.scope = text(.scope)
        self.error = text(.error)
        self.explanation = text(.explanation)
        // Some services write the number in quotes, some with a fraction.
        let seconds =
            (try? container.decode(Double.self, forKey: .expiresIn))
            ?? text(.expiresIn).flatMap(Double.init)
        self.lifetime = seconds.flatMap { seconds in
            guard !seconds.isNaN else { return nil }
            return Int64(min(max(seconds, 0), Double(Self.longestLife)))
        }
    }
}

extension TokenAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there are tokens.
    var description: String { "TokenAnswer(hidden)" }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Nothing.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
