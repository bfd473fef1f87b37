// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A value of a tag: a `data` box.
///
///     kind (32): 0 depends on the field, 1 UTF-8, 2 UTF-16, 13 JPEG, 14 PNG, 21 signed,
///                22 unsigned, 23 and 24 float, 27 BMP
///     language (32), value
struct MP4TagValue {
    private let kind: UInt32
    private let view: ByteView

    /// Reads a `data` box, and fails if it is too short.
    ///
    /// - Parameter box: the box.
    init?(_ box: MP4Box) {
        guard box.content.count >= 8 else { return nil }
        self.kind = box.content.big(0, UInt32.self) & 0xFF_FFFF
        self.view = box.content[8..<box.content.count]
    }

    /// The value as text: numbers in decimal, pairs as `3/12`.
    ///
    /// - Parameter name: the letters of the value's field.
    /// - Returns: `nil` if the value cannot be written as text.
    func text(of name: FourCC) -> String? {
        switch name {
        case "trkn", "disk": return self.pair
        case "gnre":
            // The value is a genre number of ID3v1, plus one.
            let number = self.integer(isSigned: false)
            return number.flatMap { Int($0) }.flatMap { AudioTags.genre($0 &- 1) } ?? number
        default: break
        }
        switch self.kind {
        case 1: return String(decoding: self.view.array, as: UTF8.self)
        case 2:
            let units = (0..<self.view.count / 2).map { self.view.big($0 * 2, UInt16.self) }
            return String(decoding: units, as: UTF16.self)
        case 21: return self.integer(isSigned: true)
        case 22: return self.integer(isSigned: false)
        case 23 where self.view.count == 4: return "\(Float(bitPattern: self.view.big(0)))"
        case 24 where self.view.count == 8: return "\(Double(bitPattern: self.view.big(0)))"
        case 0: return self.implicit(of: name)
        default: return nil
        }
    }

    /// A value without a stated kind: a number in numeric fields, otherwise text if it is valid
    /// UTF-8.
    private func implicit(of name: FourCC) -> String? {
        switch name {
        case "cpil", "pgap", "pcst", "tmpo", "rtng", "stik", "hdvd", "shwm", "tves", "tvsn", "akID",
            "sfID",
            "cnID", "atID", "geID", "cmID", "plID":
            return self.integer(isSigned: true)
        default: return String(validating: self.view.array, as: UTF8.self)
        }
    }

    /// Two numbers of 16 bits, after two other bytes; the second number, the total, may be missing
    /// or 0.
    private var pair: String? {
        guard self.view.count >= 4 else { return nil }
        let number = self.view.big(2, UInt16.self)
        let total = self.view.count >= 6 ? self.view.big(4, UInt16.self) : 0
        return total == 0 ? "\(number)" : "\(number)/\(total)"
    }

    private func integer(isSigned: Bool) -> String? {
        guard (1...8).contains(self.view.count) else { return nil }
        var bits: UInt64 = 0
        for index in 0..<self.view.count { bits = bits << 8 | UInt64(self.view[index]) }
        guard isSigned else { return "\(bits)" }
        let unused = UInt64(64 - 8 * self.view.count)
        return "\(Int64(bitPattern: bits << unused) >> Int64(unused))"
    }

    /// The value as a picture.
    var picture: AudioPicture {
        AudioPicture(kind: 3, mediaType: self.mediaType, description: "", data: self.view.copy)
    }

    private var mediaType: String {
        switch self.kind {
        case 13: return "image/jpeg"
        case 14: return "image/png"
        case 27: return "image/bmp"
        case 12: return "image/gif"
        default: break
        }
        if self.view.count >= 4 {
            if self.view.big24(0) == 0xFF_D8FF { return "image/jpeg" }
            if self.view.big(0, UInt32.self) == 0x8950_4E47 { return "image/png" }
            if self.view.matches("GIF8") { return "image/gif" }
            if self.view.matches("BM") { return "image/bmp" }
        }
        return ""
    }
}
