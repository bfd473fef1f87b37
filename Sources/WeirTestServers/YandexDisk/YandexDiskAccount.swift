// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Whose disk it is, and who may come in.
public struct YandexDiskAccount: Sendable {
    /// The name of the owner.
    public var login = "weir"
    /// Access tokens that never expire.
    public var tokens: Set<String>
    /// Passwords of applications, for WebDAV.
    public var appPasswords: Set<String> = ["weir-test-app-password"]
    /// The application that the authorization server knows.
    public var clientID: String
    /// The secret of the application, which it may leave out.
    public var clientSecret = "weir-test-secret"
    /// What is public: paths by their public keys.
    public var published: [String: String]
    /// How much fits on the disk, in bytes.
    public var totalSpace: Int64 = 10 << 30

    /// Describes an account.
    ///
    /// - Parameters:
    ///   - tokens: access tokens that never expire.
    ///   - clientID: the application that the authorization server knows.
    ///   - published: what is public: paths by their public keys.
    public init(
        tokens: Set<String> = ["y0_weir-test-token"],
        clientID: String = "weir-test-client",
        published: [String: String] = [:]
    ) {
        self.tokens = tokens
        self.clientID = clientID
        self.published = published
    }
}
