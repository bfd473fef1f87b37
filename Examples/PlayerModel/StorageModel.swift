// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// What is kept on this device: a list, its size, the limit, and what may be done about them.
@MainActor
@Observable
public final class StorageModel {
    /// What is kept, the one used last first.
    public private(set) var items: [KeptItem] = []
    /// Why the last thing failed; `nil` if it did not.
    public private(set) var message: String?
    /// How many bytes may be kept; `nil` for any number.
    public private(set) var limit: Int64?

    private let library: MediaLibrary

    /// The storage of a library; its list is empty until it is refreshed.
    public init(_ library: MediaLibrary) {
        self.library = library
        self.limit = library.cacheLimits.byteCount
    }

    /// How many bytes are held, of all resources.
    public var heldByteCount: Int64 { self.items.reduce(0) { $0 + $1.heldByteCount } }

    /// Lists anew.
    public func refresh() async {
        await self.perform {}
    }

    /// Keeps a resource whatever the limit is, or no longer.
    public func pin(_ item: KeptItem, _ isPinned: Bool) async {
        await self.perform {
            if isPinned {
                try await self.library.pin(item.resource)
            } else {
                try await self.library.unpin(item.resource)
            }
        }
    }

    /// Forgets a resource; whoever plays it goes on.
    public func remove(_ item: KeptItem) async {
        await self.perform { try await self.library.remove(item.resource) }
    }

    /// Sets the limit; what is above it goes soon, the one that was not used for longest first.
    ///
    /// The list may still show it; the next refresh will not.
    public func setLimit(_ byteCount: Int64?) async {
        self.library.cacheLimits.byteCount = byteCount
        self.limit = byteCount
        await self.perform {}
    }

    /// Does something, and lists what there is after it.
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
