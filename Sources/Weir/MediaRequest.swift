// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCipher
public import WeirLoader
public import WeirSource

/// A request for a medium: its URL, and the medium's settings.
///
///     let film = library.media(
///         MediaRequest(url: url, account: "me", prefetch: .whole, decryption: .age(identity))
///     )
public struct MediaRequest: Sendable {
    /// An `http` or `https` URL, or the URL of a file on this machine.
    ///
    /// A query parameter that is a known changing signature is not part of the resource's identity.
    /// A file is read in place; the cache does not store a copy.
    public var url: URL
    /// The headers for the origin, by field name; never stored, and not sent after a redirect to
    /// another origin.
    public var headers: [String: String]
    /// The account that the bytes belong to: two accounts share nothing, not even whether a
    /// resource exists.
    ///
    /// Without a name, only the same credential finds the bytes that a credential fetched. Every
    /// header counts as part of the credential, except a few such as `User-Agent`. Use a name for
    /// credentials that change; ``MediaLibrary/account(_:headers:)`` sets it for all media of an
    /// account. A signature in the URL is not part of the credential.
    public var account: String?
    /// Which bytes are fetched without a reader; `nil`: as the library's policy says.
    public var prefetch: PrefetchPolicy?
    /// How the bytes are decrypted, `nil` if they are plain; the cache holds them encrypted.
    public var decryption: Decryption?
    /// Query parameters that change although the resource does not, beside the known signatures.
    public var volatileQuery: Set<String>
    /// Which response fields identify a version; `nil`: as the library's configuration says.
    public var validator: ValidatorPolicy?

    /// Makes a request.
    public init(
        url: URL,
        headers: [String: String] = [:],
        account: String? = nil,
        prefetch: PrefetchPolicy? = nil,
        decryption: Decryption? = nil,
        volatileQuery: Set<String> = [],
        validator: ValidatorPolicy? = nil
    ) {
        self.url = url
        self.headers = headers
        self.account = account
        self.prefetch = prefetch
        self.decryption = decryption
        self.volatileQuery = volatileQuery
        self.validator = validator
    }
}
