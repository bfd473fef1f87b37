// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// The address of a medium in a media system: `weir-media://5f0c1d2e-7/Song.mp3`.
///
/// The media system cannot load the scheme, so it asks the application. The address contains nothing of the
/// origin's URL: a ``MediaRegistry`` finds the loader by the number. The last part is for people, except for its
/// extension, from which media systems derive the type.
package struct MediaAddress: Hashable, Sendable, CustomStringConvertible {
    /// A legal scheme (RFC 3986 §3.1: letters, digits, `+`, `-` and `.`).
    package static let scheme = "weir-media"

    /// Identifies a medium of this process.
    package let id: String
    /// The file name: letters, digits, `-`, `_` and an extension.
    package let fileName: String

    /// Makes the address of a medium.
    ///
    /// - Parameters:
    ///   - id: letters, digits and `-`.
    ///   - name: the name of the file, as the source has it.
    ///   - type: the type of the medium; decides the extension.
    package init(id: String, name: String?, type: MediaType?) {
        self.id = id
        self.fileName = LegibleFileName(name, type: type).text
    }

    /// The address as a URL.
    package var description: String { "\(Self.scheme)://\(self.id)/\(self.fileName)" }

    /// The number in a URL of this scheme.
    ///
    /// - Parameter url: a URL from a media system.
    /// - Returns: `nil` for any other URL.
    package static func id(in url: String) -> String? {
        let prefix = "\(self.scheme)://"
        guard url.lowercased().hasPrefix(prefix) else { return nil }
        let id = url.dropFirst(prefix.count).prefix { $0 != "/" }
        return id.isEmpty ? nil : id.lowercased()
    }
}
