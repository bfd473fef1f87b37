// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a resource is called where people read of it.
///
/// No credential, no query and no signature is in it: a link with a secret path has the name of what it leads to.
package struct ResourceName: Hashable, Sendable {
    /// The whole name: `https://cloud.example/a.mp3`, `yandex:/Music/a.mp3`.
    package var display: String
    /// The host that has it, with the port if that is unusual: `cloud.example`.
    package var authority: String
    /// The name of the file, without a folder.
    package var fileName: String?

    /// Names a resource.
    package init(display: String, authority: String, fileName: String?) {
        self.display = display
        self.authority = authority
        self.fileName = fileName
    }

    /// The name of what lies at an address.
    package init(_ url: OriginURL) {
        self.init(display: url.display, authority: url.authority, fileName: url.fileName)
    }

    /// What stands after the last dot of the file's name, in lower case: `mp3`.
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
