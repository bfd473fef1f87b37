// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The tokens of one account of a service.
///
/// Nothing that Swift makes a text of by itself shows them: no interpolation, no dump, no debugger's
/// summary.
public struct AccountTokens: Hashable, Sendable {
    /// What a request is made with.
    public var accessToken: String
    /// What the next access token is got with; often good for one use only.
    public var refreshToken: String?
    /// When the access token ends, in seconds since 1970; `nil` if the service did not say.
    package var expirySeconds: Int64?
    /// The application that the tokens were given to.
    public var clientIdentifier: String?
    /// The application's own secret, for services that know no public applications.
    public var clientSecret: String?
    /// What the tokens allow, in the service's words.
    public var scope: String?
    /// Whether the service has refused the refresh token, so that the account must be logged in again.
    public var isRefreshRefused: Bool

    /// Takes tokens as a service gave them.
    public init(
        accessToken: String,
        refreshToken: String? = nil,
        expiry: Date? = nil,
        clientIdentifier: String? = nil,
        clientSecret: String? = nil,
        scope: String? = nil,
        isRefreshRefused: Bool = false
    ) {
        self.init(
            accessToken: accessToken,
            refreshToken: refreshToken,
            expirySeconds: expiry.map(Self.seconds),
            clientIdentifier: clientIdentifier,
            clientSecret: clientSecret,
            scope: scope,
            isRefreshRefused: isRefreshRefused
        )
    }

    package init(
        accessToken: String,
        refreshToken: String? = nil,
        expirySeconds: Int64?,
        clientIdentifier: String? = nil,
        clientSecret: String? = nil,
        scope: String? = nil,
        isRefreshRefused: Bool = false
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expirySeconds = expirySeconds
        self.clientIdentifier = clientIdentifier
        self.clientSecret = clientSecret
        self.scope = scope
        self.isRefreshRefused = isRefreshRefused
    }

    /// When the access token ends, to the second; `nil` if the service did not say.
    public var expiry: Date? {
        get { self.expirySeconds.map { Date(timeIntervalSince1970: TimeInterval($0)) } }
        set { self.expirySeconds = newValue.map(Self.seconds) }
    }

    private static func seconds(_ date: Date) -> Int64 {
        Int64(nearest: date.timeIntervalSince1970)
    }

    /// Whether the next access token can be had without its user.
    public var renews: Bool { self.refreshToken != nil && !self.isRefreshRefused }
}

extension AccountTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there are tokens, and when they end.
    public var description: String {
        let end = self.expirySeconds.map { ", until \($0)" } ?? ""
        return "AccountTokens(hidden\(end))"
    }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Only the time of the end.
    public var customMirror: Mirror {
        Mirror(self, children: ["expiry": self.expirySeconds as Any])
    }
}

/// One account of one service: what tokens are kept under.
public struct AccountID: Hashable, Sendable {
    /// The service that the account is at, as it is called at the log-in: `yandex`.
    public var service: String
    /// What the user calls the account: `me`.
    public var name: String

    /// Names an account.
    public init(service: String, name: String) {
        self.service = service
        self.name = name
    }
}

extension AccountID: CustomStringConvertible {
    /// The account as it is shown: `yandex:me`.
    public var description: String { "\(self.service):\(self.name)" }
}

extension AccountID: Comparable {
    /// Services in their alphabetical order, and the accounts of each in theirs.
    public static func < (left: AccountID, right: AccountID) -> Bool {
        (left.service, left.name) < (right.service, right.name)
    }
}

extension AccountTokens {
    /// Decides which tokens a store keeps, when new ones were made of older ones and the store may have changed meanwhile.
    ///
    /// - Parameters:
    ///   - account: the account of the tokens.
    ///   - before: what the new tokens were made of.
    ///   - new: the new tokens.
    ///   - now: what the store has at the moment.
    /// - Returns: the tokens, and whether the store has yet to write them.
    /// - Throws: `unauthorized` if the account was removed meanwhile.
    static func kept(
        for account: AccountID,
        from before: AccountTokens?,
        to new: AccountTokens,
        now: AccountTokens?
    ) throws(SourceError) -> (tokens: AccountTokens, isNew: Bool) {
        switch (before, now) {
        case (.some, nil):
            throw SourceError(
                .unauthorized,
                "The account of \(account.service) was removed while its token was refreshed; log in again."
            )
            .tellingOwner(
                "The account \(account) was removed while its token was refreshed; log in again."
            )
        case (_, let now?) where now != before: return (now, false)
        default: return (new, before != new)
        }
    }
}
