// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Finds the duration of a stream in its last bytes; no other page of Ogg states it.
extension AudioStreamParser {
    /// How many bytes at the end are sure to contain the start of a page: two of the largest pages
    /// (RFC 3533 §6).
    package static var tailByteCount: Int64 { 2 * 65_307 }

    /// The duration of the present section, from the last bytes of the stream.
    ///
    /// - Parameters:
    ///   - tail: the bytes up to the end.
    ///   - offset: the offset of these bytes in the stream.
    /// - Returns: the duration by the last granule position. It is `declared`, since only reading
    ///   the whole stream shows whether a packet is missing, or `estimated` if the bytes end within
    ///   a page. `nil` before the first packet, if the stream ends with another section, and in
    ///   every other container.
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
        // Only `.same` shows that one stream continues up to the last byte.
        guard case .same = check.verdict(upTo: .max), let end = piece.end,
            end.rawValue > stream.audibleStart
        else { return nil }
        let samples = SampleCount(end.rawValue - stream.audibleStart)
        return AudioDuration(samples, piece.isCut ? .estimated : .declared)
    }
}
