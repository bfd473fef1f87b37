// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A line in the list of what is kept.
public struct KeptItem: Identifiable, Hashable, Sendable {
    /// What the library knows it by.
    public let id: String
    /// The file's name, or where it is from.
    public let title: String
    /// How many bytes are held.
    public let heldByteCount: Int64
    /// How much of it is held, from 0 to 1; `nil` while nobody knows its length.
    public let fraction: Double?
    /// Whether it stays, whatever the limit is.
    public let isPinned: Bool
    /// What the library is told to pin or remove.
    let resource: CachedResource

    /// A line for a resource.
    public init(_ resource: CachedResource) {
        self.resource = resource
        self.id = resource.identifier
        self.title = resource.name ?? resource.display
        self.heldByteCount = resource.heldByteCount
        self.isPinned = resource.isPinned
        self.fraction = resource.length.flatMap { length in
            length > 0 ? Double(resource.heldByteCount) / Double(length) : nil
        }
    }
}
