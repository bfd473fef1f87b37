// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirSource

/// A resource as a list of the cache shows it.
public struct CachedResource: Hashable, Identifiable, Sendable {
    /// 32 hexadecimal digits that tell the resource from every other one; `weir cache` takes them, too.
    public var identifier: String
    /// The generation that is held.
    public var generation: GenerationID
    /// Where it is from, without a query or a credential.
    public var display: String
    /// The account whose bytes these are; `(credential)` for a credential without an account, empty without either.
    public var account: String
    /// Bytes in the resource, if that is known.
    public var length: Int64?
    /// How many of them are held.
    public var heldByteCount: Int64
    /// The media type that was stored.
    public var mediaType: MediaType?
    /// The file name that the origin gave.
    public var name: String?
    /// When it was last opened or left.
    public var lastUse: Date
    /// When this generation was first seen.
    public var created: Date
    /// Whether it is kept, whatever the limit is.
    public var isPinned: Bool

    /// ``identifier``, as `Media.id` has it.
    public var id: String { self.identifier }

    /// Describes a resource.
    public init(
        identifier: String,
        generation: GenerationID,
        display: String,
        account: String,
        length: Int64?,
        heldByteCount: Int64,
        mediaType: MediaType?,
        name: String?,
        lastUse: Date,
        created: Date,
        isPinned: Bool
    ) {
        self.identifier = identifier
        self.generation = generation
        self.display = display
        self.account = account
        self.length = length
        self.heldByteCount = heldByteCount
        self.mediaType = mediaType
        self.name = name
        self.lastUse = lastUse
        self.created = created
        self.isPinned = isPinned
    }

    /// Whether every byte is held.
    public var isComplete: Bool { self.length == self.heldByteCount }
}
