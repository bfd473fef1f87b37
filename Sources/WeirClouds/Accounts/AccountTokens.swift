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
/// Neither interpolation, `dump`, a mirror nor the debugger's summary shows the tokens.
public struct AccountTokens: Hashable, Sendable {
    /// The token for requests.
    public var accessToken: String
    /// The token that gets the next access token; often valid for one use only.
    public var refreshToken: String?
    /// When the access token expires, in seconds since 1970; `nil` if the service did not say.
    package var expirySeconds: Int64?
    /// The application that received the tokens.
    public var clientIdentifier: String?
    /// The application's own secret, for services that do not support public applications.
    public var clientSecret: String?
    /// The permissions of the tokens, in the service's words.
    public var scope: String?
    /// Whether the service has refused the refresh token, so that the user must log in again.
    public var isRefreshRefused: Bool

    /// Creates tokens from the values that a service gave.
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

    /// When the access token expires, to the second; `nil` if the service did not say.
    public var expiry: Date? {
        get { self.expirySeconds.map { Date(timeIntervalSince1970: TimeInterval($0)) } }
        set { self.expirySeconds = newValue.map(Self.seconds) }
    }

    private static func seconds(_ date: Date) -> Int64 {
        Int64(nearest: date.timeIntervalSince1970)
    }

    /// Whether the next access token is available without the user.
    public var renews: Bool { self.refreshToken != nil && !self.isRefreshRefused }
}

extension AccountTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text without the tokens, with the time at which they expire.
    public var description: String {
        let end = self.expirySeconds.map { ", until \($0)" } ?? ""
        return "AccountTokens(hidden\(end))"
    }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Only the time of expiry.
    public var customMirror: Mirror {
        Mirror(self, children: ["expiry": self.expirySeconds as Any])
    }
}

/// An account of a service; tokens are stored under it.
public struct AccountID: Hashable, Sendable {
    /// The service of the account, under the name used at the log-in: `yandex`.
    public var service: String
    /// The user's name for the account: `me`.
    public var name: String

    /// Creates the identifier of an account.
    public init(service: String, name: String) {
        self.service = service
        self.name = name
    }
}

extension AccountID: CustomStringConvertible {
    /// The account as shown to users: `yandex:me`.
    public var description: String { "\(self.service):\(self.name)" }
}

extension AccountID: Comparable {
    /// Orders by service, then by account, alphabetically.
    public static func < (left: AccountID, right: AccountID) -> Bool {
        (left.service, left.name) < (right.service, right.name)
    }
}

extension AccountTokens {
    /// Decides which tokens a store keeps after an update, if the store may have changed meanwhile.
    ///
    /// - Parameters:
    ///   - account: the account of the tokens.
    ///   - before: the tokens from which the new ones were made.
    ///   - new: the new tokens.
    ///   - now: the tokens that the store has at the moment.
    /// - Returns: the tokens to keep, and whether the store must still write them.
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
