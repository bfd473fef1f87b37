// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A small request to a service: a question about a file, a page of a listing, a token.
public struct ServiceRequest: Sendable {
    /// The method, a token.
    public var method: String
    /// The address.
    public var url: OriginURL
    /// Fields beside `User-Agent`, `Accept-Encoding` and the credential.
    public var headers: HTTPHeaderList
    /// The body; empty for none.
    public var body: [UInt8]
    /// Whether it may be sent again although it may have been received.
    public var isRepeatable: Bool
    /// How the thing that is asked about is called in sentences.
    public var subject: String

    /// Describes a request.
    public init(
        method: String = "GET",
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        body: [UInt8] = [],
        isRepeatable: Bool = true,
        subject: String
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
        self.subject = subject
    }
}
