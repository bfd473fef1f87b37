// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A key, and the initialization vector where it comes with the key.
public struct KeyMaterial: Sendable {
    /// The key.
    public var key: CipherKey
    /// 16 bytes, for ``InitialVector/fromKey``.
    public var initialVector: [UInt8]?

    /// Joins a key and a vector.
    public init(_ key: CipherKey, initialVector: [UInt8]? = nil) {
        self.key = key
        self.initialVector = initialVector
    }
}
