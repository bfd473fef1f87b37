// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The encodings of a radio station's titles; the protocol does not state which encoding a station
/// uses.
public enum ICYCharset: String, Hashable, Sendable, CaseIterable {
    /// UTF-8; invalid sequences become U+FFFD.
    case utf8
    /// ISO 8859-1, Western Europe.
    case latin1
    /// Windows-1252, Western Europe with typographic quotes.
    case windows1252
    /// Windows-1251, Cyrillic.
    case windows1251
    /// KOI8-R, Russian.
    case koi8r
    /// ISO 8859-2, Central Europe.
    case iso8859Part2

    /// The text of bytes: as UTF-8 if valid, otherwise in the charset of the station, or in
    /// Windows-1252 if that is unknown.
    ///
    /// Text in another charset is rarely valid UTF-8 by chance: two neighbouring bytes from 0x80
    /// would have to match the pattern of UTF-8.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - override: the known charset of the station.
    /// - Returns: the text; any bytes can be decoded.
    static func text(of view: ByteView, override: ICYCharset?) -> String {
        view.strictUTF8Text ?? (override ?? .windows1252).text(view)
    }

    /// The text of bytes in this charset; a byte without a character becomes the control character
    /// with its number.
    func text(_ view: ByteView) -> String {
        switch self {
        case .utf8: return view.utf8Text
        case .latin1: return view.latin1Text
        case .windows1252: return Self.text(view, upper: Self.upper1252)
        case .windows1251: return Self.text(view, upper: Self.upper1251)
        case .koi8r: return Self.text(view, upper: Self.upperKOI8R)
        case .iso8859Part2: return Self.text(view, upper: Self.upper88592)
        }
    }

    private static func text(_ view: ByteView, upper: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        for index in 0..<view.count {
            let byte = view[index]
            text.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80])
        }
        return String(text)
    }

    /// Bytes 0x80 to 0xFF of Windows-1252.
    private static let upper1252 = Array(
        """
        €\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ\
        \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿\
        ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
        àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ
        """.unicodeScalars
    )

    /// Bytes 0x80 to 0xFF of Windows-1251.
    private static let upper1251 = Array(
        """
        ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\
        \u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї\
        АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
        абвгдежзийклмнопрстуфхцчшщъыьэюя
        """.unicodeScalars
    )

    /// Bytes 0x80 to 0xFF of KOI8-R (RFC 1489).
    private static let upperKOI8R = Array(
        """
        ─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷\
        ═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©\
        юабцдефгхийклмнопярстужвьызшэщчъ\
        ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ
        """.unicodeScalars
    )

    /// Bytes 0x80 to 0xFF of ISO 8859-2.
    private static let upper88592 = Array(
        """
        \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\
        \u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\
        \u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
        \u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż\
        ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
        ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙
        """.unicodeScalars
    )
}
