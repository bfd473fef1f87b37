// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// The kept resources on this device: their list, their size, the limit, and the actions on them.
@MainActor
@Observable
public final class StorageModel {
    /// The kept resources, the last used one first.
    public private(set) var items: [KeptItem] = []
    /// The reason why the last action failed; `nil` if it did not fail.
    public private(set) var message: String?
    /// The largest count of bytes to keep; `nil` for no limit.
    public private(set) var limit: Int64?

    private let library: MediaLibrary

    /// A model of a library; its list is empty until `refresh`.
    public init(_ library: MediaLibrary) {
        self.library = library
        self.limit = library.cacheLimits.byteCount
    }

    /// The count of held bytes of all resources.
    public var heldByteCount: Int64 { self.items.reduce(0) { $0 + $1.heldByteCount } }

    /// Loads the list again.
    public func refresh() async {
        await self.perform {}
    }

    /// Pins a resource, so that it stays whatever the limit is, or unpins it.
    public func pin(_ item: KeptItem, _ isPinned: Bool) async {
        await self.perform {
            if isPinned {
                try await self.library.pin(item.resource)
            } else {
                try await self.library.unpin(item.resource)
            }
        }
    }

    /// Removes a resource; a player that plays it continues.
    public func remove(_ item: KeptItem) async {
        await self.perform { try await self.library.remove(item.resource) }
    }

    /// Sets the limit; the library soon removes resources above it, the least recently used one first.
    ///
    /// The list may still show removed resources until the next refresh.
    public func setLimit(_ byteCount: Int64?) async {
        self.library.cacheLimits.byteCount = byteCount
        self.limit = byteCount
        await self.perform {}
    }

    /// Runs an action, and then loads the list.
    private func perform(_ work: () async throws -> Void) async {
        do {
            try await work()
            self.items = try await self.library.resources().map(KeptItem.init)
            self.message = nil
        } catch {
            self.message = ErrorSentence.text(of: error)
        }
    }
}
