// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

/// A fresh address for bytes, as an application or a command gives it.
public struct Link: Sendable {
    /// The address.
    public var url: OriginURL
    /// Fields for it, and for nobody else.
    public var headers: HTTPHeaderList
    /// How long it holds from now; `nil` reads it out of the address where it is known how, and else uses the link until
    /// it is refused.
    public var lifetime: Duration?

    /// A link.
    public init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        lifetime: Duration? = nil
    ) {
        self.url = url
        self.headers = headers
        self.lifetime = lifetime
    }
}
