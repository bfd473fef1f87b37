// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts an XML document to UTF-8 from the encodings that servers use (XML 1.0, appendix F).
///
/// UTF-16 is recognized by its byte order mark or by zero bytes, the others by the declaration:
///
/// ```
/// <?xml version="1.0" encoding="ISO-8859-1"?>
/// ```
///
/// A document in an unknown encoding keeps its bytes. Markup and percent-encoded addresses are ASCII in the usual
/// encodings.
enum XMLEncoding {
    static func utf8(_ document: [UInt8]) -> [UInt8] {
        let start = document.prefix(3)
        if start.elementsEqual([0xEF, 0xBB, 0xBF]) { return Array(document.dropFirst(3)) }
        if start.starts(with: [0xFE, 0xFF]) { return self.utf16(document.dropFirst(2), high: 0) }
        if start.starts(with: [0xFF, 0xFE]) { return self.utf16(document.dropFirst(2), high: 1) }
        if document.count >= 2 {
            if document[0] == 0, document[1] != 0 { return self.utf16(document[...], high: 0) }
            if document[1] == 0, document[0] != 0 { return self.utf16(document[...], high: 1) }
        }
        switch self.declared(document) {
        case "iso-8859-1", "iso_8859-1", "latin1", "l1":
            return Array(String(String.UnicodeScalarView(document.map { Unicode.Scalar($0) })).utf8)
        case "windows-1251", "cp1251": return self.windows1251(document)
        case "windows-1252", "cp1252": return self.text(document, .windowsCP1252)
        default: return document
        }
    }

    private static func text(_ document: [UInt8], _ encoding: String.Encoding) -> [UInt8] {
        String(bytes: document, encoding: encoding).map { Array($0.utf8) } ?? document
    }

    /// Bytes 0x80 to 0xFF of Windows-1251, for which Foundation on Linux needs ICU's data.
    private static let upper1251 = Array(
        """
        ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\
        \u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї\
        АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
        абвгдежзийклмнопрстуфхцчшщъыьэюя
        """.unicodeScalars
    )

    private static func windows1251(_ document: [UInt8]) -> [UInt8] {
        let scalars = document.map {
            $0 < 0x80 ? Unicode.Scalar($0) : self.upper1251[Int($0) - 0x80]
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8)
    }

    /// Converts 16-bit units to UTF-8; `high` is the index of the more significant byte.
    private static func utf16(_ bytes: ArraySlice<UInt8>, high: Int) -> [UInt8] {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
            UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// The name of the encoding in a declaration, in lower case.
    private static func declared(_ document: [UInt8]) -> String? {
        let head = String(decoding: document.prefix(512), as: UTF8.self)
            .drop(while: \.isWhitespace)
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>")?.lowerBound,
            let mark = head[..<end].firstRange(of: "encoding")?.upperBound
        else { return nil }
        let value = head[mark..<end].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, "\"'".contains(quote) else { return nil }
        return value.dropFirst().prefix { $0 != quote }.lowercased()
    }
}
