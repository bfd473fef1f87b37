// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioTags {
    /// All values of the fields of a name, in the order of the tag.
    ///
    /// - Parameter name: as in ``AudioTagField/name``; ASCII letters in any case.
    /// - Returns: the values; empty if there is no such field.
    public func values(_ name: String) -> [String] {
        self.fields.lazy.filter { Self.isName($0.name, name) }.flatMap(\.values)
    }

    /// The first value of the fields of a name.
    func first(_ name: String) -> String? {
        for field in self.fields where Self.isName(field.name, name) {
            if let value = field.values.first { return value }
        }
        return nil
    }

    /// Whether two names are equal but for the case of ASCII letters.
    static func isName(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    /// An ASCII letter in lower case; any other byte as it is.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
