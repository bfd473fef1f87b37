// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirSource

/// A line of the cache's list on the wire; times in seconds since 1970.
struct ResourceMessage: Codable, Hashable, Sendable {
    private var identifier: String
    private var generation: UInt64
    private var display: String
    private var account: String
    private var length: Int64?
    private var heldBytes: Int64
    private var mediaType: String?
    private var name: String?
    private var lastUse: Double
    private var created: Double
    private var isPinned: Bool

    init(_ resource: CachedResource) {
        self.identifier = resource.identifier
        self.generation = resource.generation.rawValue
        self.display = resource.display
        self.account = resource.account
        self.length = resource.length
        self.heldBytes = resource.heldBytes
        self.mediaType = resource.mediaType?.essence
        self.name = resource.name
        self.lastUse = resource.lastUse.timeIntervalSince1970
        self.created = resource.created.timeIntervalSince1970
        self.isPinned = resource.isPinned
    }

    var resource: CachedResource {
        CachedResource(
            identifier: self.identifier,
            generation: GenerationID(rawValue: self.generation),
            display: self.display,
            account: self.account,
            length: self.length.flatMap(ResourceLength.checked),
            heldBytes: ResourceLength.checked(self.heldBytes) ?? 0,
            mediaType: self.mediaType.flatMap { MediaType(headerValue: $0) },
            name: self.name,
            lastUse: Date(timeIntervalSince1970: self.lastUse),
            created: Date(timeIntervalSince1970: self.created),
            isPinned: self.isPinned
        )
    }
}
