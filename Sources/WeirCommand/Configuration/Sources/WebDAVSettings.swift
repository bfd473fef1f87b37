// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source with `service = "webdav"`: any server that speaks WebDAV.
struct WebDAVSettings: Hashable, Sendable {
    /// How a credential is sent.
    enum Authentication: String, CaseIterable, Hashable, Sendable {
        case basic
        case digest
        case bearer
    }

    /// The folder that `NAME:/` stands for.
    var url: ConfiguredURL
    /// A token, or a user and a password; `nil` for a server that asks for none.
    var credential: ServiceCredential?
    /// How the credential is sent; `nil` for as the server asks.
    var authentication: Authentication?
}
