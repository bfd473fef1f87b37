// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
