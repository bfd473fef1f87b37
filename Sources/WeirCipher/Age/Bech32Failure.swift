// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a text is no Bech32.
enum Bech32Failure: Error {
    /// A character that must not be there, no separator, nothing before it, or too little after it.
    case shape
    /// Upper case and lower case in one text.
    case mixedCase
    /// The checksum is another one.
    case checksum
    /// Bits are over that belong to no byte.
    case padding

    /// A part of a sentence that tells it and shows nothing of the text.
    var reason: String {
        switch self {
        case .shape: "it is cut off, or has a character that does not belong there"
        case .mixedCase: "it mixes upper case and lower case"
        case .checksum: "its checksum does not match, so a character is wrong or missing"
        case .padding: "it does not end with a whole byte"
        }
    }
}
