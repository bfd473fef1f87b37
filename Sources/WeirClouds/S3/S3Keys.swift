// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// An access key of S3, with the secret that signs requests.
///
/// No description shows the secret or the token.
package struct S3Keys: Hashable, Sendable {
    /// The identifier, which is not secret.
    package let identifier: String
    let secret: String
    /// The token of a temporary key.
    let token: String?
    /// When the key expires, in seconds since 1970; `nil` if that is unknown.
    let end: Int64?
    /// The source of the key, if known: a variable or a file.
    let place: String?

    /// Creates a key; `end` is in seconds since 1970-01-01 00:00 UTC, `place` is the source of the
    /// key.
    package init(
        identifier: String,
        secret: String,
        token: String? = nil,
        end: Int64? = nil,
        place: String? = nil
    ) {
        self.identifier = identifier
        self.secret = secret
        self.token = token
        self.end = end
        self.place = place
    }
}

extension S3Keys {
    /// The scope of the key with its secret; a wrong secret does not open the owner's cached data.
    package var credentialScope: CredentialScope {
        .credential(parts: self.identifier, self.secret, self.token ?? "")
    }
}

extension S3Keys: CustomStringConvertible, CustomDebugStringConvertible {
    /// The identifier only.
    package var description: String { "S3Keys(\(self.identifier), hidden)" }

    /// The identifier only.
    package var debugDescription: String { self.description }
}

/// The source of the key of an S3 store.
package enum S3KeySource: Sendable {
    /// No key: the bucket is public.
    case anonymous
    /// A given key.
    case given(S3Keys)
    /// A key from the places that Amazon's own tools read: variables, a shared file, a role.
    ///
    /// The finder reads them again when the key expires or is refused.
    case found(S3KeyFinder)
}
