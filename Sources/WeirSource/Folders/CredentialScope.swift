// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Whose answers a service gives: what tells the files of one account or credential from those of another.
///
/// Two scopes share nothing in a cache, not even whether a file exists. No text that is made of a scope shows a credential.
public enum CredentialScope: Hashable, Sendable {
    /// Everybody gets the same answers: requests carry no credential.
    case everyone
    /// The answers belong to an account with this name, whose credential may change.
    case account(String)
    /// The answers belong to one credential, such as a token or a user with a password.
    ///
    /// The text is the credential, or anything else that differs wherever the credential does. A library hashes it with a
    /// secret key before it names a file after it, and stores it nowhere.
    case credential(String)

    /// The scope of a credential of several parts, such as a user and a password.
    ///
    /// - Parameter parts: the parts, in an order that is always the same.
    /// - Returns: the scope, another one for any other parts.
    public static func credential(parts: String...) -> CredentialScope {
        .credential(parts: parts)
    }

    package static func credential(parts: [String]) -> CredentialScope {
        // With its length, a part cannot be taken for two.
        .credential(parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// Whether requests carry a credential.
    public var hasCredential: Bool { self != .everyone }
}

extension CredentialScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The name of the account, or that there is a credential.
    public var description: String {
        switch self {
        case .everyone: "everyone"
        case .account(let name): "the account \(name)"
        case .credential: "a credential"
        }
    }

    /// Like the description.
    public var debugDescription: String { self.description }

    /// Shows no member.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
