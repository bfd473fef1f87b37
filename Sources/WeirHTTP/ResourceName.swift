// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The name of a resource in texts for people.
///
/// It holds no credential, query or signature: a link with a secret path has the name of its target.
package struct ResourceName: Hashable, Sendable {
    /// The whole name: `https://cloud.example/a.mp3`, `yandex:/Music/a.mp3`.
    package var display: String
    /// The host of the resource, with the port if that is unusual: `cloud.example`.
    package var authority: String
    /// The name of the file, without a folder.
    package var fileName: String?

    /// Names a resource.
    package init(display: String, authority: String, fileName: String?) {
        self.display = display
        self.authority = authority
        self.fileName = fileName
    }

    /// The name of the resource at an address.
    package init(_ url: OriginURL) {
        self.init(display: url.display, authority: url.authority, fileName: url.fileName)
    }

    /// The text after the last dot of the file's name, in lower case: `mp3`.
    package var fileExtension: String? {
        guard let fileName, let dot = fileName.lastIndex(of: "."), dot > fileName.startIndex else {
            return nil
        }
        let suffix = fileName[fileName.index(after: dot)...]
        return suffix.isEmpty ? nil : suffix.lowercased()
    }
}

extension ResourceName: CustomStringConvertible {
    /// ``display``.
    package var description: String { self.display }
}
