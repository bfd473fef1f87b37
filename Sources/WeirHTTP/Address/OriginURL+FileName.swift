// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension OriginURL {
    /// The last component of the path, decoded, or `nil` if it cannot be the name of a file.
    ///
    /// A name that holds a separator or a control character after decoding is made harmless: it never
    /// leads out of a folder.
    public var fileName: String? {
        let last = self.path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            self.path[$0...].dropFirst()
        }
        return last.flatMap { FileName.component(PercentCoding.decoded($0)) }
    }

    /// What stands after the last dot of ``fileName``, in lower case: `mp3`.
    public var fileExtension: String? {
        guard let name = self.fileName, let dot = name.lastIndex(of: "."), dot > name.startIndex
        else {
            return nil
        }
        let suffix = name[name.index(after: dot)...]
        return suffix.isEmpty ? nil : suffix.lowercased()
    }
}
