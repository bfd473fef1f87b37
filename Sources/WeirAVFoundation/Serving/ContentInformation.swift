// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player is told of a resource before its first byte.
public struct ContentInformation: Hashable, Sendable {
    /// What the content is; `nil` lets the media system look for itself.
    public var type: UniformType?
    /// Bytes in the whole resource, whatever part of it was asked for; `nil` while nobody knows.
    public var length: Int64?
    /// Whether every byte is at hand, so that none will have to be waited for.
    public var isEntirelyAvailable: Bool

    /// Describes a resource.
    public init(type: UniformType?, length: Int64?, isEntirelyAvailable: Bool = false) {
        self.type = type
        self.length = length
        self.isEntirelyAvailable = isEntirelyAvailable
    }
}
