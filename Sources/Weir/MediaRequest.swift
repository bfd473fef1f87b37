// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCipher
public import WeirLoader
public import WeirSource

/// What a library is asked for: an address, and everything that belongs to it.
///
///     let film = library.media(
///         MediaRequest(url: url, account: "me", keep: .whole, decryption: .age(identity))
///     )
public struct MediaRequest: Sendable {
    /// An `http` or `https` address, or that of a file on this machine.
    ///
    /// What of its query is a signature that is known to change is no part of the resource's identity. A file is read
    /// where it lies and is not kept a second time.
    public var url: URL
    /// What the origin is told, by the field's name; never stored, and not sent to another host.
    public var headers: [String: String]
    /// Whose bytes these are: two accounts share nothing, not even whether a resource exists.
    ///
    /// Without a name, what one credential fetched is found by that very credential alone; every header but a few, such as
    /// `User-Agent`, counts as a part of it. A name is for credentials that change; ``MediaLibrary/account(_:headers:)`` sets
    /// it for all media of an account. A signature in the address is no part of the credential.
    public var account: String?
    /// What stays to be fetched when no reader wants it any more; `nil`: as the library's policy says.
    public var keep: KeepPolicy?
    /// How the bytes are decrypted, `nil` if they are plain; the cache holds them as they came.
    public var decryption: Decryption?
    /// Parts of the URL's query that change although the resource does not, beside the signatures that are known.
    public var volatileQuery: Set<String>
    /// Which fields of an answer tell one version from another; `nil`: as the library's configuration says.
    public var validator: ValidatorPolicy?

    /// Makes a request.
    public init(
        url: URL,
        headers: [String: String] = [:],
        account: String? = nil,
        keep: KeepPolicy? = nil,
        decryption: Decryption? = nil,
        volatileQuery: Set<String> = [],
        validator: ValidatorPolicy? = nil
    ) {
        self.url = url
        self.headers = headers
        self.account = account
        self.keep = keep
        self.decryption = decryption
        self.volatileQuery = volatileQuery
        self.validator = validator
    }
}
