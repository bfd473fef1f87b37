// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The response of a token endpoint (RFC 6749 §5).
struct TokenAnswer: Hashable, Sendable {
    /// Why there are no tokens.
    enum Failure: Error, Hashable {
        /// The service refuses, in its own words (§5.2): `invalid_grant` means to log in again.
        case refused(error: String, explanation: String?)
        /// The body is not a JSON object.
        case noObject
        case noAccessToken
        /// A token has characters that a header field must not contain.
        case unusableToken
        /// Weir cannot send a token of this type (§7.1).
        case unknownTokenType
        /// The body is longer than ``largestSize``.
        case tooLarge(limit: Int)
    }

    /// The longest accepted body in bytes.
    static let largestSize = 256 * 1024
    /// The longest lifetime in seconds, 100 years; longer ones are cut to it.
    static let longestLife: Int64 = 100 * 366 * 86_400

    let accessToken: String
    let refreshToken: String?
    /// The lifetime of the access token in seconds, from 0 to ``longestLife``; `nil` if it is
    /// unknown.
    let lifetime: Int64?
    let tokenType: String?
    let scope: String?
    private let error: String?
    private let explanation: String?

    /// Reads the body of a response with any status.
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

    /// The tokens to store.
    ///
    /// - Parameters:
    ///   - now: the time of the response, in seconds since 1970.
    ///   - old: the refreshed tokens; values that the response does not repeat stay (§6).
    /// - Returns: the tokens with their time of expiry.
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

    /// RFC 6749 appendix A.12 (`VSCHAR`), without the blank, which makes no sense in a field.
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

    /// Reads the needed members; a member of the wrong type counts as missing.
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
        // Some services write the number in quotes, and some with a fraction.
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
    /// A text without the tokens.
    var description: String { "TokenAnswer(hidden)" }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Empty.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
