// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One of the servers that a service consists of, each of which is an origin of its own.
public enum Door: String, Sendable, Hashable, Codable, CaseIterable {
    /// The REST API.
    case api
    /// The host of the links that the API gives.
    case link
    /// The authorization server.
    case oauth
    /// WebDAV.
    case webdav
    /// A stranger, to whom the link host redirects when a fault says so.
    case other
}
