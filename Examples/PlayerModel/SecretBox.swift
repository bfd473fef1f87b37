// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A place for one secret that outlives the app: on Apple platforms the keychain.
public protocol SecretBox: Sendable {
    /// What was kept last; `nil` if nothing was.
    func read() throws -> Data?

    /// Keeps something in place of what was kept; durable before it returns.
    func write(_ secret: Data) throws
}
