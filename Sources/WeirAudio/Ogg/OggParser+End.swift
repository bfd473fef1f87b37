// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// How long a stream is by its last bytes: Ogg says it nowhere else.
extension AudioStreamParser {
    /// How many bytes at the end hold a page that begins in them, the largest page among them (RFC 3533 §6).
    package static var tailByteCount: Int64 { 2 * 65_307 }

    /// How long the present section is, by the last bytes of the stream.
    ///
    /// - Parameters:
    ///   - tail: the bytes up to the end.
    ///   - offset: where they begin.
    /// - Returns: what the last granule position says, `declared`, since only reading everything tells whether a packet is
    ///   missing; `nil` before the first packet, where another section ends the stream, and in every other container.
    package func duration(byTail tail: ByteMemory, at offset: Int64) -> AudioDuration? {
        self.parser?.ogg?.duration(byTail: tail, at: offset)
    }
}

extension FoundParser {
    fileprivate var ogg: OggParser? { self.other as? OggParser }
}

extension OggParser {
    func duration(byTail tail: ByteMemory, at offset: Int64) -> AudioDuration? {
        guard let stream, let method = OggSeekMethod(stream, length: nil) else { return nil }
        let piece = tail.withView { method.piece($0, at: offset) }
        let end = offset + Int64(tail.count)
        var check = LinkCheck(from: method.reached, rate: method.rate, end: end)
        check.read(piece, offset..<end)
        // Only then is it one stream up to its end.
        guard case .same = check.verdict(upTo: .max), let end = piece.end,
            end.rawValue > stream.audibleStart
        else { return nil }
        return AudioDuration(SampleCount(end.rawValue - stream.audibleStart), .declared)
    }
}
