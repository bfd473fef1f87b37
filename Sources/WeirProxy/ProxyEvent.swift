// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Something that happened to a proxy, for whoever shows or counts it.
public enum ProxyEvent: Sendable, Hashable {
    /// Connections are not accepted for a moment, since the process has no descriptor left for them.
    ///
    /// Told once in the life of a proxy. `reason` is a sentence for a person.
    case acceptingPaused(reason: String)
    /// A client was kept out by ``ProxyConfiguration/admitsOnlySameUser``.
    case clientRefused(RefusedClient)
}
