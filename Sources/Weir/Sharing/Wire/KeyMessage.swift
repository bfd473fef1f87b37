// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// A resource's key on the wire; where the resource is stays with who plays it.
struct KeyMessage: Codable, Hashable, Sendable {
    private var identifier: String
    private var account: String
    private var display: String

    init(_ key: ResourceKey) {
        self.identifier = key.identifier
        self.account = key.account
        self.display = key.display
    }

    var key: ResourceKey? {
        ResourceKey(identifier: self.identifier, account: self.account, display: self.display)
    }
}
