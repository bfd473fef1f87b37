// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirAudio

/// `--charset`: how a station's titles are coded where they are not UTF-8.
struct CharsetOption: ExpressibleByArgument, Hashable, Sendable {
    let charset: ICYCharset

    /// The names, as people write them.
    static let names: [(name: String, charset: ICYCharset)] = [
        ("utf-8", .utf8), ("iso-8859-1", .latin1), ("iso-8859-2", .iso8859Part2),
        ("windows-1251", .windows1251), ("windows-1252", .windows1252), ("koi8-r", .koi8r),
    ]

    /// What ends the sentence `charset must be …`.
    static let expected = "one of \(Self.names.map(\.name).joined(separator: ", ")), in quotes"

    static var allValueStrings: [String] { Self.names.map(\.name) }

    init?(argument: String) {
        guard let found = Self.names.first(where: { $0.name == argument.lowercased() }) else {
            return nil
        }
        self.charset = found.charset
    }

    /// The name of a charset.
    static func name(of charset: ICYCharset) -> String {
        Self.names.first { $0.charset == charset }?.name ?? charset.rawValue
    }
}
