// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Admits addresses that carry a right of their own in the place of the secret, such as a signature with an end.
package protocol AddressPass: Sendable {
    /// What an address may do.
    ///
    /// Called on an event loop, once for the requests in a row of a connection that are for one address: who is reading
    /// when the right ends reads on.
    ///
    /// - Parameter target: path and query, byte for byte; it starts with a slash.
    /// - Returns: `nil` if the address carries no such right, or something that is none.
    func ruling(on target: Substring) -> AddressRuling?

    /// Changes when a right may have been withdrawn before its end: then a connection asks again.
    var revision: Int { get }
}

/// What an address that carries a right of its own may do.
package enum AddressRuling: Sendable, Hashable {
    /// It is admitted to what follows the right: a path that starts with a slash, and a query.
    case admitted(target: String)
    /// It is not; `reason` is a sentence for the log, and not for the client.
    case refused(target: String, reason: String)
}
