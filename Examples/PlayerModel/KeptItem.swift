// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A row in the list of kept resources.
public struct KeptItem: Identifiable, Hashable, Sendable {
    /// The library's identifier of the resource.
    public let id: String
    /// The file's name, or its address.
    public let title: String
    /// The count of held bytes.
    public let heldByteCount: Int64
    /// The held part, from 0 to 1; `nil` while the length is unknown.
    public let fraction: Double?
    /// Whether the resource stays, whatever the limit is.
    public let isPinned: Bool
    /// The resource that the library pins or removes.
    let resource: CachedResource

    /// A row for a resource.
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
