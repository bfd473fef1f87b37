// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds

/// An account with its tokens, as it stands in a secret box.
struct StoredAccount: Codable {
    var service: String
    var name: String
    var accessToken: String
    var refreshToken: String?
    var expiry: Int64?
    var clientIdentifier: String?
    var clientSecret: String?
    var scope: String?

    init(_ account: AccountID, _ tokens: AccountTokens) {
        self.service = account.service
        self.name = account.name
        self.accessToken = tokens.accessToken
        self.refreshToken = tokens.refreshToken
        self.expiry = tokens.expiry
        self.clientIdentifier = tokens.clientIdentifier
        self.clientSecret = tokens.clientSecret
        self.scope = tokens.scope
    }

    var account: AccountID { AccountID(service: self.service, name: self.name) }

    var tokens: AccountTokens {
        AccountTokens(
            accessToken: self.accessToken,
            refreshToken: self.refreshToken,
            expiry: self.expiry,
            clientIdentifier: self.clientIdentifier,
            clientSecret: self.clientSecret,
            scope: self.scope
        )
    }
}
