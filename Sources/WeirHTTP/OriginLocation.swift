// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The current location of a resource's bytes, and the fields for requests to it.
public struct OriginLocation: Sendable {
    /// The address; often a link with a secret path or query.
    public var url: OriginURL
    /// Fields for this address, such as `Authorization`.
    ///
    /// A redirect to another scheme, host or port drops them.
    public var headers: HTTPHeaderList
    /// The service's description of the bytes; `nil` if the responses themselves must describe them.
    ///
    /// Its validator replaces the validators of the responses: all bytes from this location are of that generation.
    /// Weir refuses a response with another length.
    public var resource: ResourceDescription?
    /// The entity tag of the bytes, without quotes, in the form that responses of the address may have.
    ///
    /// An example is an MD5 in hexadecimal digits. A different tag of the same form means different bytes.
    public var entityTag: String?
    /// Distinguishes the locations of one locator.
    public var serial: Int
    /// Whether the path is a secret and only the host may be shown.
    public var hidesPath: Bool
    /// Puts a credential on each request in place of the fields, and handles the challenge of a 401.
    ///
    /// `nil` if the fields suffice.
    package var authorizer: (any RequestAuthorizer)?

    /// Creates a location.
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

extension OriginLocation {
    /// Adds the user and the password of an address, unless the headers have a credential.
    ///
    /// - Parameters:
    ///   - user: the user and the password.
    ///   - authorizer: handles a challenge; shared by all locations of the origin, since it remembers
    ///     the last challenge.
    package mutating func authorize(_ user: URLUserInfo, by authorizer: PasswordAuthorizer) {
        guard !self.headers.contains("Authorization") else { return }
        self.headers.append("Authorization", user.basicCredentials, readIn: "its address")
        self.authorizer = authorizer
    }
}

extension OriginLocation: CustomStringConvertible {
    /// The host only.
    public var description: String { "\(self.url.scheme.rawValue)://\(self.url.authority)/…" }
}
