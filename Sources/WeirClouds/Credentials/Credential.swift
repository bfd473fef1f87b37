// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// A token as a service wants to see it.
///
/// No text that is made of it shows it.
public struct Credential: Hashable, Sendable {
    /// The token.
    public var token: String

    /// Wraps a token.
    public init(token: String) {
        self.token = token
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of it.
    public var description: String { "a credential" }
    /// Nothing of it.
    public var debugDescription: String { self.description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Has the current credential of an account.
///
/// Asked before every request, from any number of tasks at once: one refresh is under way at a time.
public protocol CredentialProvider: Sendable {
    /// The credential to use now.
    ///
    /// - Throws: `SourceError` with `unauthorized` where there is none; `CancellationError`.
    func credential() async throws -> Credential

    /// The service refused a credential.
    ///
    /// - Parameter credential: the one that was sent.
    /// - Returns: whether ``credential()`` has another one now; `false` if there is none to be had.
    /// - Throws: `SourceError` with `unauthorized` where the account was logged out; `CancellationError`.
    func refused(_ credential: Credential) async throws -> Bool

    /// Whose answers it opens: an account if the credential is renewed, else the credential itself.
    var credentialScope: CredentialScope { get }

    /// Where the credential was read, if that is known: the name of a variable, a file or an option.
    var place: String? { get }
}

extension CredentialProvider {
    /// Not known.
    public var place: String? { nil }
}

/// One token for good.
public struct FixedCredential: CredentialProvider {
    private let only: Credential
    /// Where the token was read, if that is known.
    public let place: String?

    /// Has this token and no other; `place` is where it was read, if that is known.
    public init(token: String, place: String? = nil) {
        self.only = Credential(token: token)
        self.place = place
    }

    /// That of the token.
    public var credentialScope: CredentialScope { .credential(self.only.token) }

    /// The token.
    public func credential() async throws -> Credential { self.only }

    /// There is no other.
    public func refused(_ credential: Credential) async throws -> Bool { false }
}

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

    /// That of the provider's credential.
    public var credentialScope: CredentialScope { self.provider.credentialScope }

    /// Where the provider has its token from.
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
