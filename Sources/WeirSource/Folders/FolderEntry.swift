// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a storage has at a path.
public struct FolderEntry: Hashable, Sendable {
    /// What kind of thing it is.
    public enum Kind: String, Hashable, Sendable {
        /// Something with bytes.
        case file
        /// Something with entries.
        case folder
    }

    /// The name, without a folder.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// Bytes in the file, if the storage tells.
    public var length: Int64?
    /// The media type, as the storage tells it.
    public var mediaType: MediaType?
    /// When the content changed last, in seconds since 1970-01-01 00:00 UTC.
    public var modifiedSeconds: Int64?
    /// What the storage says identifies the bytes; `nil` if it says nothing strong.
    public var validator: Validator?

    /// Describes an entry.
    public init(
        name: String,
        kind: Kind,
        length: Int64? = nil,
        mediaType: MediaType? = nil,
        modifiedSeconds: Int64? = nil,
        validator: Validator? = nil
    ) {
        self.name = name
        self.kind = kind
        self.length = length
        self.mediaType = mediaType
        self.modifiedSeconds = modifiedSeconds
        self.validator = validator
    }

    /// What a source would say of the file.
    public var resource: ResourceDescription {
        ResourceDescription(
            length: self.length,
            mediaType: self.mediaType,
            validator: self.validator,
            name: self.name
        )
    }
}
