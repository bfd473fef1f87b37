// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The account or the credential to which a service's answers belong.
///
/// Two scopes share nothing in a cache, not even whether a file exists. The description of a scope
/// shows no credential.
public enum CredentialScope: Hashable, Sendable {
    /// All clients get the same answers: requests carry no credential.
    case everyone
    /// The answers belong to an account with this name, whose credential may change.
    case account(String)
    /// The answers belong to one credential, such as a token or a user with a password.
    ///
    /// The text is the credential, or another text that differs whenever the credential does. A
    /// library hashes it with a secret key before it uses it in a name, and never stores it.
    case credential(String)

    /// The scope of a credential of several parts, such as a user and a password.
    ///
    /// - Parameter parts: the parts, in an order that is always the same.
    /// - Returns: the scope; two different lists of parts have two different scopes.
    public static func credential(parts: String...) -> CredentialScope {
        .credential(parts: parts)
    }

    package static func credential(parts: [String]) -> CredentialScope {
        // The length before each part keeps different lists of parts apart.
        .credential(parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// Whether requests carry a credential.
    public var hasCredential: Bool { self != .everyone }
}

extension CredentialScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The name of the account, or the fact that a credential exists.
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
