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

    /// The name, without a folder, as ``FolderPath/name(ofBytes:)`` writes it: text on one line.
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

    /// Describes an entry; a length that no file has (``ResourceLength``) is taken for unknown.
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
        self.length = length.flatMap(ResourceLength.checked)
        self.mediaType = mediaType
        self.modifiedSeconds = modifiedSeconds
        self.validator = validator
    }

    /// What a source would say of the file; bytes of its name that are no text are U+FFFD there.
    public var resource: ResourceDescription {
        ResourceDescription(
            length: self.length,
            mediaType: self.mediaType,
            validator: self.validator,
            name: String(decoding: FolderPath.bytes(ofName: self.name), as: UTF8.self)
        )
    }
}
