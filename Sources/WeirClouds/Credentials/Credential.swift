// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// A token for a service.
///
/// No text made of the value shows the token.
public struct Credential: Hashable, Sendable {
    /// The token.
    public var token: String

    /// Creates a credential from a token.
    public init(token: String) {
        self.token = token
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the token.
    public var description: String { "a credential" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Provides the current credential of an account.
///
/// Called before every request, from any number of tasks at once; at most one refresh runs at a time.
public protocol CredentialProvider: Sendable {
    /// The current credential.
    ///
    /// - Throws: `SourceError` with `unauthorized` if there is none; `CancellationError`.
    func credential() async throws -> Credential

    /// Handles a service's refusal of a credential.
    ///
    /// - Parameter credential: the refused credential.
    /// - Returns: whether ``credential()`` now has another one; `false` if no other is available.
    /// - Throws: `SourceError` with `unauthorized` if the account was logged out; `CancellationError`.
    func refused(_ credential: Credential) async throws -> Bool

    /// The scope of the cached responses: an account if the credential is renewed, else the credential itself.
    var credentialScope: CredentialScope { get }

    /// The source of the credential, if known: the name of a variable, a file or an option.
    var place: String? { get }
}

extension CredentialProvider {
    /// `nil`.
    public var place: String? { nil }
}

/// Provides one fixed token.
public struct FixedCredential: CredentialProvider {
    private let only: Credential
    /// The source of the token, if known.
    public let place: String?

    /// Creates a provider of this token; `place` is the source of the token, if known.
    public init(token: String, place: String? = nil) {
        self.only = Credential(token: token)
        self.place = place
    }

    /// The scope of the token.
    public var credentialScope: CredentialScope { .credential(self.only.token) }

    /// The token.
    public func credential() async throws -> Credential { self.only }

    /// `false`: no other token is available.
    public func refused(_ credential: Credential) async throws -> Bool { false }
}

/// Sends the token of a provider: `Authorization: OAuth …`, `Bearer …`.
public struct TokenAuthorizer: RequestAuthorizer {
    private let scheme: String
    private let provider: any CredentialProvider

    /// Creates an authorizer for a scheme.
    ///
    /// - Parameters:
    ///   - scheme: `Bearer` (RFC 6750), or the service's own name for it.
    ///   - provider: provides the token.
    public init(scheme: String, provider: any CredentialProvider) {
        self.scheme = scheme
        self.provider = provider
    }

    /// The scope of the provider's credential.
    public var credentialScope: CredentialScope { self.provider.credentialScope }

    /// The source of the provider's token.
    public var credentialPlace: String? { self.provider.place }

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
