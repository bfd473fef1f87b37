// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// What came of a command.
enum CommandResult: Codable, Sendable {
    case resources([ResourceMessage])
    /// Whether there was such a resource.
    case found(Bool)
    /// `nil`: there was no such resource.
    case verified(sound: Int64, damaged: Int64)
    /// How many bytes were written.
    case exported(Int64)
    /// Everything was removed, and this much; `nil` where an older Weir did it, which does not say.
    case done(removed: RemovalMessage? = nil)
}

/// What was removed, on the wire.
struct RemovalMessage: Codable, Hashable, Sendable {
    private var resources: Int64
    private var bytes: Int64

    init(_ removal: Cache.Removal) {
        self.resources = Int64(removal.resourceCount)
        self.bytes = removal.byteCount
    }

    var removal: Cache.Removal {
        Cache.Removal(
            resourceCount: Int(clamping: max(0, self.resources)),
            byteCount: max(0, self.bytes)
        )
    }
}
