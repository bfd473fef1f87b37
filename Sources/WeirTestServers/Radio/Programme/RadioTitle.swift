// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station says that it plays, from a place of its sound on.
public struct RadioTitle: Sendable, Hashable, Codable {
    /// Where it begins: a byte of the sound that the station has sent, counted as ``RadioStart`` says.
    public var offset: Int64
    /// What stands between the quotes of `StreamTitle`.
    public var text: String

    /// Makes a title.
    ///
    /// - Parameters:
    ///   - offset: where it begins.
    ///   - text: the title.
    public init(at offset: Int64, _ text: String) {
        self.offset = offset
        self.text = text
    }

    /// The block that stands in a stream: a length in units of 16 bytes, then the text, padded with zeros.
    ///
    /// - Parameter isLatin1: whether the text is written in ISO 8859-1, where it can be; else in UTF-8.
    /// - Returns: at most 4,081 bytes.
    func block(isLatin1: Bool) -> [UInt8] {
        var bytes = Self.encoded("StreamTitle='\(self.text)';StreamUrl='';", isLatin1: isLatin1)
        bytes = Array(bytes.prefix(255 * 16))
        let units = (bytes.count + 15) / 16
        let padding = [UInt8](repeating: 0, count: units * 16 - bytes.count)
        return [UInt8(units)] + bytes + padding
    }

    static func encoded(_ text: String, isLatin1: Bool) -> [UInt8] {
        guard isLatin1 else { return Array(text.utf8) }
        return text.unicodeScalars.map { $0.value < 256 ? UInt8($0.value) : UInt8(ascii: "?") }
    }
}
