// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place for one secret that outlives the application: on Apple platforms the keychain.
protocol SecretBox: Sendable {
    /// What a sentence calls the place: "the keychain item music".
    var place: String { get }

    /// The secret that was written last; `nil` if there is none.
    func read() throws -> [UInt8]?

    /// Replaces the secret; durable before it returns.
    func write(_ secret: [UInt8]) throws
}
