// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Where the bytes of a resource are to be had now, and what is sent there.
public struct OriginLocation: Sendable {
    /// The address; often a link with a secret path or query.
    public var url: OriginURL
    /// Fields for this address, such as `Authorization`.
    ///
    /// A redirect to another scheme, host or port loses them.
    public var headers: HTTPHeaderList
    /// What the service says lies there; `nil` if the answers themselves must say it.
    ///
    /// Its validator stands for the answers' own: bytes from here are of that generation, and none other. Its length is
    /// the one that every answer must tell.
    public var resource: ResourceDescription?
    /// The entity tag, without quotes, that the address shows for these bytes if it shows one of this form, such as an
    /// MD5 in hexadecimal digits.
    ///
    /// A tag of the same form that is not the same means that these are not the bytes.
    public var entityTag: String?
    /// Tells one location of a locator from the next.
    public var serial: Int
    /// Whether the path is a secret and only the host may be shown.
    public var hidesPath: Bool
    /// Puts a credential on each request in place of what the fields say, and answers the challenge of a 401; `nil` where
    /// the fields are all there is.
    package var authorizer: (any RequestAuthorizer)?

    /// Describes a location.
    public init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        resource: ResourceDescription? = nil,
        entityTag: String? = nil,
        serial: Int = 0,
        hidesPath: Bool = true
    ) {
        self.url = url
        self.headers = headers
        self.resource = resource
        self.entityTag = entityTag
        self.serial = serial
        self.hidesPath = hidesPath
    }
}

extension OriginLocation: CustomStringConvertible {
    /// The host alone.
    public var description: String { "\(self.url.scheme.rawValue)://\(self.url.authority)/…" }
}
