// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A format that Weir recognises by its first bytes but does not read; the error names the format
/// to the user.
///
/// Most such formats have a ``FormatSignature``. Three frames in a row identify AC-3, and a mark at
/// a stated offset identifies ADX.
///
/// Frames after such a signature are a part of the foreign format, or chance. For example, an AIFF
/// file of quiet sound is full of bytes that look like frames in free format, and a Matroska file
/// may hold real frames.
enum ForeignFormat {
    /// The format at the front of a stream, or after its ID3v2 tags.
    ///
    /// - Parameters:
    ///   - view: the first bytes, which belong to no ``AudioContainer``.
    ///   - isAtEnd: whether there are no more bytes.
    /// - Returns: a name with an article if it needs one, such as "a ZIP archive".
    static func find(_ view: ByteView, isAtEnd: Bool) -> Reading<String> {
        if let known = FormatSignature.first(in: view.bytes) { return .found(known.name) }
        if !isAtEnd, FormatSignature.isCut(in: view.bytes) { return .needsMore }
        for form in [Self.dolby, Self.adx] {
            switch form(view) {
            case .none: continue
            case .needsMore where isAtEnd: continue
            case let outcome: return outcome
            }
        }
        return .none
    }

    /// Three frames of AC-3 or E-AC-3 (ETSI TS 102 366 §4.4.1, §E.1.2).
    ///
    ///     AC-3:   0x0B77 | 16 checksum | 2 sample rate | 6 frame size code | 5 bsid, at most 10
    ///     E-AC-3: 0x0B77 | 2 type | 3 substream | 11 words, less 1 | 8 bits | 5 bsid, 11 to 16 | …
    private static func dolby(_ view: ByteView) -> Reading<String> {
        var offset = 0
        var name = "AC-3"
        for _ in 0..<3 {
            guard view.count >= offset + 6 else {
                let rest = view.from(offset)
                return rest.count >= 2 && rest.big(0, UInt16.self) != 0x0B77 ? .none : .needsMore
            }
            guard view.big(offset, UInt16.self) == 0x0B77 else { return .none }
            let version = view[offset + 5] >> 3
            if version > 10 {
                guard version <= 16 else { return .none }
                name = "E-AC-3"
                offset += (Int(view.big(offset + 2, UInt16.self) & 0x7FF) + 1) * 2
            } else {
                let code = Int(view[offset + 4] & 0x3F)
                let rate = Int(view[offset + 4] >> 6)
                guard rate < 3, code < 38 else { return .none }
                let kilobits = Self.dolbyRates[code / 2]
                offset += [kilobits * 4, (kilobits * 320 / 147 + code % 2) * 2, kilobits * 6][rate]
            }
        }
        return .found(name)
    }

    /// The bit rate in kbit/s, by half the frame size code.
    private static let dolbyRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]

    /// CRI's ADX: `0x8000 | offset of the data, less 4`, with "(c)CRI" at the header's end.
    private static func adx(_ view: ByteView) -> Reading<String> {
        guard view.count >= 4 else { return .none }
        guard view.big(0, UInt16.self) == 0x8000 else { return .none }
        let end = Int(view.big(2, UInt16.self)) + 4
        guard end >= 6, end <= 4096 else { return .none }
        guard view.count >= end else { return .needsMore }
        return view.matches("(c)CRI", at: end - 6) ? .found("CRI ADX") : .none
    }
}
