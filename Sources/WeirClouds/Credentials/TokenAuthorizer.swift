// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

/// Sends the token of a provider: `Authorization: OAuth …`, `Bearer …`.
public struct TokenAuthorizer: RequestAuthorizer {
    private let scheme: String
    private let provider: any CredentialProvider

    /// Puts tokens behind a scheme.
    ///
    /// - Parameters:
    ///   - scheme: `Bearer` (RFC 6750), or what the service calls it.
    ///   - provider: has the token.
    public init(scheme: String, provider: any CredentialProvider) {
        self.scheme = scheme
        self.provider = provider
    }

    /// The scheme and the current token.
    public func authorization(method: String, url: OriginURL) async throws -> String? {
        "\(self.scheme) \(try await self.provider.credential().token)"
    }

    /// Asks the provider for another token.
    public func refused(_ authorization: String?, challenges: [String]) async throws -> Bool {
        guard let authorization, authorization.hasPrefix("\(self.scheme) ") else { return false }
        let token = String(authorization.dropFirst(self.scheme.count + 1))
        return try await self.provider.refused(Credential(token: token))
    }
}
