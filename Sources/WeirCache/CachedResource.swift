// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirSource

/// A resource in a list of the cache.
public struct CachedResource: Hashable, Identifiable, Sendable {
    /// 32 hexadecimal digits that identify the resource; `weir cache` accepts them, too.
    public var identifier: String
    /// The held generation.
    public var generation: GenerationID
    /// The resource's source, without a query or a credential.
    public var display: String
    /// The account of these bytes; `(credential)` for a credential without an account, empty
    /// without either.
    public var account: String
    /// The length of the resource in bytes, if known.
    public var length: Int64?
    /// How many bytes are held.
    public var heldByteCount: Int64
    /// The stored media type.
    public var mediaType: MediaType?
    /// The file name that the origin gave.
    public var name: String?
    /// When the resource was last opened or left.
    public var lastUse: Date
    /// When this generation was first seen.
    public var created: Date
    /// Whether the resource is pinned, and so kept whatever the limits are.
    public var isPinned: Bool

    /// The same as ``identifier``, for `Media.id`.
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
