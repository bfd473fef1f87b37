// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One header field, as it stood in a message.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name, in the case in which it was sent.
    public var name: String
    /// The value, without the spaces around it.
    public var value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
