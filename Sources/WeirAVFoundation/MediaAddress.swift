// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// The address under which a media system knows a medium: `weir-media://5f0c1d2e-7/Song.mp3`.
///
/// The media system cannot load the scheme, so it asks. Nothing of the origin's URL is in the address: the number is
/// looked up in a ``MediaRegistry``. The last part is for the eye, but for its extension, which media systems go by.
package struct MediaAddress: Hashable, Sendable, CustomStringConvertible {
    /// A legal scheme (RFC 3986 §3.1: letters, digits, `+`, `-` and `.`).
    package static let scheme = "weir-media"

    /// Tells one medium of this process from another.
    package let id: String
    /// What the medium is called: letters, digits, `-`, `_` and an extension.
    package let fileName: String

    /// Makes the address of a medium.
    ///
    /// - Parameters:
    ///   - id: letters, digits and `-`.
    ///   - name: the name of the file, as the source has it.
    ///   - type: what it is; decides the extension.
    package init(id: String, name: String?, type: MediaType?) {
        self.id = id
        self.fileName = LegibleFileName(name, type: type).text
    }

    /// The address as a URL.
    package var description: String { "\(Self.scheme)://\(self.id)/\(self.fileName)" }

    /// The number in a URL of this scheme.
    ///
    /// - Parameter url: as a media system hands it back.
    /// - Returns: `nil` for any other URL.
    package static func id(in url: String) -> String? {
        let prefix = "\(self.scheme)://"
        guard url.lowercased().hasPrefix(prefix) else { return nil }
        let id = url.dropFirst(prefix.count).prefix { $0 != "/" }
        return id.isEmpty ? nil : id.lowercased()
    }
}
