// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source of the configuration: what `NAME:PATH` begins with.
struct ConfiguredSource: Hashable, Sendable {
    /// The name: letters, digits, `-` and `_`.
    let name: String
    /// What it is, and how it is reached.
    let kind: SourceKind
    /// Whose bytes these are: an account of a service that has them, a label elsewhere.
    let account: String?
    /// Whether its resources never change.
    let isImmutable: Bool
    /// Parts of a URL's query that change without the resource changing.
    let volatileQuery: Set<String>
    /// How its files are decrypted; `nil` where they are not encrypted.
    let cipher: CipherSettings?
    /// Where it is written, as `FILE:LINE:COLUMN`, for errors that show up later.
    let place: String

    /// Whether a text can be a source's name.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether a name means something else already: `origin`, `origin2` … are unnamed origins in
    /// URLs, the others begin URLs.
    static func isReserved(_ name: String) -> Bool {
        ["http", "https", "file"].contains(name.lowercased())
            || name.hasPrefix("origin") && name.dropFirst("origin".count).allSatisfy(\.isNumber)
    }
}
