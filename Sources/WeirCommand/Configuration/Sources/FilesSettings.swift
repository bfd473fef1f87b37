// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source with `service = "files"`: a folder of this computer.
struct FilesSettings: Hashable, Sendable {
    /// The folder, absolute.
    var path: String
}
