// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The fields of a `LIST` chunk of kind `INFO` (Multimedia Programming Interface 1.0, 1991).
///
///     INFO | id 32 | size 32 | text, ended by a zero | [a byte up to an even count] | id …
enum WAVEInfoList {
    /// How many fields are kept: a field of a byte takes a hundred in memory.
    static let most = 4_096

    /// Reads the chunk, without its header.
    ///
    /// Texts are UTF-8 if they can be, and Windows-1252 if not. Empty ones are left out.
    ///
    /// - Parameters:
    ///   - view: the chunk, from `INFO` on.
    ///   - isBig: whether sizes have their most significant byte first (RIFX).
    /// - Returns: the first ``most`` fields in their order, as far as the chunk is whole; `nil` if it is another kind
    ///   of list.
    static func fields(_ view: ByteView, isBig: Bool) -> [AudioTagField]? {
        guard view.matches("INFO") else { return nil }
        var fields: [AudioTagField] = []
        var position = 4
        while view.count - position >= 8, fields.count < Self.most {
            let size =
                isBig ? view.big(position + 4, UInt32.self) : view.little(position + 4, UInt32.self)
            let name = String(decoding: view[position..<position + 4].array, as: UTF8.self)
            position += 8
            guard Int(size) <= view.count - position else { break }
            let text = Self.text(view[position..<position + Int(size)])
            if !text.isEmpty { fields.append(AudioTagField(name, [text])) }
            position = min(view.count, position + Int(size) + Int(size & 1))
        }
        return fields
    }

    private static func text(_ view: ByteView) -> String {
        let bytes = view[0..<(view.firstIndex(of: 0) ?? view.count)].array
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes {
            let scalar = (0x80..<0xA0).contains(byte) ? Self.upper[Int(byte) - 0x80] : UInt32(byte)
            text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
        }
        return text
    }

    /// What Windows-1252 has at 0x80 to 0x9F.
    private static let upper: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039,
        0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
