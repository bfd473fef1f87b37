// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirClouds
import WeirSource

/// Identifies a URI of a playlist, independently of the signature in it.
struct PlaylistItemID: Hashable, Sendable {
    /// The number of the segment plus one; 0 for all other items, and for a segment that is a part
    /// of a file.
    let sequence: Int64
    /// The identifier of the item's resource: 32 hexadecimal digits.
    let identifier: String
}

/// Seals the identities of playlist items into texts for addresses, and opens these texts.
///
/// A text holds, in base64url behind a tilde, the list's identifier (16 bytes), the number of the segment (8 bytes), the
/// item's identifier (16 bytes), and a code of authentication over these (16 bytes). It holds no address, and only
/// a process with the key can make one.
struct PlaylistSeal: Sendable {
    private static let size = 56
    private static let codeSize = 16

    private let key: SymmetricKey

    init(_ key: SymmetricKey) {
        self.key = key
    }

    /// The text of an item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - list: the identifier of the list that names the item.
    /// - Returns: a tilde, and 75 letters of base64url.
    func text(of item: PlaylistItemID, in list: String) -> String {
        let claim =
            Self.bytes(ofDigits: list)
            + withUnsafeBytes(of: item.sequence.bigEndian) { Array($0) }
            + Self.bytes(ofDigits: item.identifier)
        return "~" + String(base64URL: claim + self.code(of: claim))
    }

    /// The item of a text; `nil` unless this key sealed the text for an item of this list.
    func item(_ text: Substring, in list: String) -> PlaylistItemID? {
        guard let sealed = Self.bytes(ofText: text), sealed.count == Self.size else { return nil }
        let claim = Array(sealed.dropLast(Self.codeSize))
        guard claim.starts(with: Self.bytes(ofDigits: list)),
            Self.areEqual(self.code(of: claim), sealed.suffix(Self.codeSize))
        else { return nil }
        let sequence = claim[16..<24].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return PlaylistItemID(sequence: sequence, identifier: Self.digits(of: claim[24...]))
    }

    /// The identifier of the list that a text names; the text may be forged.
    static func list(of text: Substring) -> String? {
        guard let sealed = self.bytes(ofText: text), sealed.count == self.size else { return nil }
        return self.digits(of: sealed[..<16])
    }

    private func code(of claim: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: claim, using: self.key).prefix(Self.codeSize))
    }

    /// Compares in a time that does not depend on the bytes.
    private static func areEqual(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func bytes(ofDigits digits: String) -> [UInt8] {
        let values = digits.utf8.map { $0 < 0x40 ? $0 & 15 : ($0 & 15) + 9 }
        return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func digits(of bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a sealed text; only the spelling counts that ``text(of:in:)`` makes.
    private static func bytes(ofText text: Substring) -> [UInt8]? {
        guard text.utf8.first == UInt8(ascii: "~") else { return nil }
        var bytes: [UInt8] = []
        var (bits, held): (UInt32, UInt32) = (0, 0)
        for byte in text.utf8.dropFirst() {
            guard let value = Self.value(of: byte) else { return nil }
            bits = bits << 6 | value
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> held))
            bits &= (1 << held) - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
