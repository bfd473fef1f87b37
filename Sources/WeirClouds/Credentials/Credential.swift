// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
