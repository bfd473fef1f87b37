// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// An access key of S3, and the secret that signs with it.
///
/// No description shows the secret or the token.
package struct S3Keys: Hashable, Sendable {
    /// The identifier, which is no secret.
    package let identifier: String
    let secret: String
    /// Of a temporary credential.
    let token: String?
    /// When it ends, in seconds since 1970; `nil` if that is not known.
    let end: Int64?
    /// Where it was read, if that is known: a variable, a file.
    let place: String?

    /// A key; `end` is in seconds since 1970-01-01 00:00 UTC, `place` where the key was read.
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
    /// That of the key with its secret, so that a wrong secret opens nothing.
    package var credentialScope: CredentialScope {
        .credential(parts: self.identifier, self.secret, self.token ?? "")
    }
}

extension S3Keys: CustomStringConvertible, CustomDebugStringConvertible {
    /// The identifier alone.
    package var description: String { "S3Keys(\(self.identifier), hidden)" }

    /// The identifier alone.
    package var debugDescription: String { self.description }
}

/// Where the key of an S3 store comes from.
package enum S3KeySource: Sendable {
    /// None is needed: the bucket is public.
    case anonymous
    /// It was given.
    case given(S3Keys)
    /// As Amazon's own tools look for it: variables, a shared file, the machine's role; looked up again when it ends.
    case found(S3KeyFinder)
}
