// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP

/// A URL of the configuration: checked, and never shown with its user or its query.
struct ConfiguredURL: Hashable, Sendable {
    /// The URL as it was written.
    let text: String
    /// The same, taken apart.
    let url: OriginURL
}

extension ConfiguredURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scheme, host and path.
    var description: String { self.url.display }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Only ``description``.
    var customMirror: Mirror { Mirror(self, children: ["url": self.description]) }
}
