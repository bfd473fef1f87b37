// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A Bech32 text (BIP-173) with data of any length, as the age specification allows.
///
///     age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj
///     └┬┘│└──────────────────── data ────────────────────────┘└─┬──┘
///   prefix └ separator: the last "1"                         checksum
///
/// The data may be a secret key, so it is stored only in ``payload``.
struct Bech32 {
    /// The text before the separator: all upper case or all lower case.
    let prefix: String
    /// The decoded bytes of the data.
    let payload: SecretBytes

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumLength = 6

    /// Reads a text.
    ///
    /// - Parameter text: ASCII, without white space around it.
    /// - Throws: ``Bech32Failure``.
    init(decoding text: UnsafeRawBufferPointer) throws(Bech32Failure) {
        guard text.allSatisfy({ (33...126).contains($0) }) else { throw .shape }
        guard
            !text.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
                || !text.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw .mixedCase }
        guard let separator = text.lastIndex(of: UInt8(ascii: "1")), (1...83).contains(separator)
        else { throw .shape }
        let prefix = text[..<separator]
        let data = text[(separator + 1)...]
        guard data.count >= Self.checksumLength, data.allSatisfy({ Self.value(of: $0) != nil })
        else { throw .shape }
        var checksum = Bech32Checksum(prefix: prefix.lazy.map(Self.lowerCase))
        for character in data { checksum.take(Self.value(of: character) ?? 0) }
        guard checksum.isValid else { throw .checksum }
        guard let payload = Self.bytes(of: data.dropLast(Self.checksumLength)) else {
            throw .padding
        }
        self.prefix = String(decoding: prefix, as: UTF8.self)
        self.payload = payload
    }

    /// Encodes bytes in lower case.
    ///
    /// - Parameters:
    ///   - prefix: the text before the separator, in lower case.
    ///   - bytes: the bytes to encode.
    /// - Returns: The text.
    static func encode(prefix: String, _ bytes: some Collection<UInt8>) -> String {
        var checksum = Bech32Checksum(prefix: prefix.utf8)
        var text = Array(prefix.utf8) + [UInt8(ascii: "1")]
        func append(_ value: UInt8) {
            checksum.take(value)
            text.append(Self.alphabet[Int(value)])
        }
        var pending: UInt32 = 0
        var pendingBits = 0
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            pendingBits += 8
            while pendingBits >= 5 {
                pendingBits -= 5
                append(UInt8(pending >> UInt32(pendingBits) & 0x1F))
            }
        }
        if pendingBits > 0 { append(UInt8(pending << UInt32(5 - pendingBits) & 0x1F)) }
        text.append(contentsOf: checksum.values.map { Self.alphabet[Int($0)] })
        return String(decoding: text, as: UTF8.self)
    }

    /// Joins groups of five bits; `nil` if more than four bits are left, or if one of these is set.
    private static func bytes(of data: Slice<UnsafeRawBufferPointer>) -> SecretBytes? {
        var pending: UInt32 = 0
        var pendingBits = 0
        let payload = SecretBytes(count: data.count * 5 / 8) { bytes in
            var position = 0
            for character in data {
                pending = (pending << 5 | UInt32(Self.value(of: character) ?? 0)) & 0xFFF
                pendingBits += 5
                if pendingBits >= 8 {
                    pendingBits -= 8
                    bytes[position] = UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits))
                    position += 1
                }
            }
        }
        guard pendingBits < 5, pending & ((1 << UInt32(pendingBits)) - 1) == 0 else { return nil }
        return payload
    }

    private static func value(of character: UInt8) -> UInt8? {
        Self.alphabet.firstIndex(of: Self.lowerCase(character)).map { UInt8($0) }
    }

    private static func lowerCase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
    }
}

/// The checksum of a Bech32 text, a BCH code over groups of five bits (BIP-173, "Checksum").
struct Bech32Checksum {
    /// 30 bits: six groups, the first in the highest bits.
    private var state: UInt32 = 1

    /// Starts with the prefix: the high bits of each character, a zero, the low bits of each.
    ///
    /// - Parameter prefix: ASCII characters in lower case.
    init(prefix: some Collection<UInt8>) {
        for character in prefix { self.take(character >> 5) }
        self.take(0)
        for character in prefix { self.take(character & 0x1F) }
    }

    /// Whether the groups so far end with their checksum.
    var isValid: Bool { self.state == 1 }

    /// The six groups of the checksum that must follow the groups so far.
    var values: [UInt8] {
        var padded = self
        for _ in 0..<6 { padded.take(0) }
        let sum = padded.state ^ 1
        return (0..<6).map { UInt8(sum >> UInt32(5 * (5 - $0)) & 0x1F) }
    }

    /// Adds the next group of five bits to the checksum.
    mutating func take(_ value: UInt8) {
        let top = self.state >> 25
        self.state = (self.state & 0x1FF_FFFF) << 5 ^ UInt32(value)
        for (bit, generator) in Self.generators.enumerated() where top >> UInt32(bit) & 1 == 1 {
            self.state ^= generator
        }
    }

    private static let generators: [UInt32] = [
        0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
    ]
}

/// Why a text is not valid Bech32.
enum Bech32Failure: Error {
    /// An invalid character, no separator, nothing before it, or too little after it.
    case shape
    /// Upper case and lower case in one text.
    case mixedCase
    /// The checksum does not match.
    case checksum
    /// There are unused bits that do not form a byte.
    case padding

    /// A clause for a message, which shows nothing of the text.
    var reason: String {
        switch self {
        case .shape: "it is cut off, or has a character that is not allowed there"
        case .mixedCase: "it mixes upper case and lower case"
        case .checksum: "its checksum does not match, so a character is wrong or missing"
        case .padding: "it does not end with a whole byte"
        }
    }
}
