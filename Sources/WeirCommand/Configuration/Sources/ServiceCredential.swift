// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// By what right a WebDAV server is asked.
enum ServiceCredential: Hashable, Sendable {
    /// An account of `weir login`; `nil` for the only one that there is.
    case account(String?)
    /// A token, sent as the service wants it.
    case token(SecretReference)
    /// A user and a password, perhaps one for this application.
    case password(user: String, SecretReference)
}
