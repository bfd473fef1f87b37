// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One token for good.
public struct FixedCredential: CredentialProvider {
    private let only: Credential

    /// Has this token and no other.
    public init(token: String) {
        self.only = Credential(token: token)
    }

    /// The token.
    public func credential() async throws -> Credential { self.only }

    /// There is no other.
    public func refused(_ credential: Credential) async throws -> Bool { false }
}
