// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a name in the file system stands for.
public struct FileStatus: Hashable, Sendable {
    /// The kinds that the cache tells apart.
    public enum Kind: Hashable, Sendable {
        /// A plain file.
        case file
        /// A directory.
        case directory
        /// A symbolic link, a socket, a device.
        case other
    }

    /// What it is.
    public var kind: Kind
    /// How many bytes it has.
    public var size: Int64

    /// Describes a name.
    public init(kind: Kind, size: Int64) {
        self.kind = kind
        self.size = size
    }
}
