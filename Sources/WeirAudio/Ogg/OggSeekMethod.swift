// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a logical stream of Ogg finds a time: by looking at granule positions.
///
/// What is found is a page from which the packet that holds the time can be had, and in Vorbis the packet before it,
/// which it is decoded with. Opus wants to be decoded from ``opusPreRoll`` before what is to be heard (RFC 7845 §4.6):
/// the caller asks for that time.
///
/// Only the present stream is searched. Pages of others are passed over, so in a chained stream of which the end of the
/// present section is not known, more reads are needed; where sections share a serial number it may be missed.
struct OggSeekMethod: SeekMethod {
    /// How much earlier than what is to be heard Opus is to be decoded: 80 ms, in samples at 48 kHz.
    static let opusPreRoll: SampleCount = 3840

    /// The serial number of the stream.
    let serial: UInt32
    /// How packets and granule positions stand for time.
    let timing: OggTiming
    /// Where its first audio page is, and when its first packet starts.
    let first: Bisection.Mark
    /// The furthest page that was read: where it ends, and when its last packet does.
    let last: Bisection.Mark
    /// Where the stream ends in bytes, as far as known.
    let end: Int64

    /// The method for a stream; `nil` before its first audio page.
    ///
    /// - Parameters:
    ///   - stream: the present stream.
    ///   - length: of all in bytes, if known.
    init?(_ stream: OggStream, length: Int64?) {
        guard let offset = stream.audioOffset, let start = stream.firstStart else { return nil }
        var timing = stream.timing
        timing.reset()
        self.serial = stream.serial
        self.timing = timing
        let first = Bisection.Mark(offset: offset, start: SampleCount(start))
        self.first = first
        // Within the first page nothing further is known.
        self.last =
            stream.lastMark.map {
                Bisection.Mark(offset: $0.offset, start: SampleCount($0.time))
            } ?? first
        self.end = max(length ?? self.last.offset, offset)
    }

    /// Starts to look for a time.
    ///
    /// - Parameter time: on the time line of the packets.
    /// - Returns: the search, which is over at once for what is not behind the first packet.
    func search(for time: SampleCount) -> any SeekSearching {
        guard time > self.first.start, self.end > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        return OggSeekSearch(self, target: time)
    }

    /// About when the packet at an offset starts: at the rate of what was read so far.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: an estimate; exact for what is not behind the first packet.
    func time(at offset: Int64) -> SeekPoint? {
        guard offset > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        let bytes = self.last.offset - self.first.offset
        guard bytes > 0 else { return nil }
        let rate = Double((self.last.start - self.first.start).rawValue) / Double(bytes)
        let count = rate * Double(min(offset, self.end) - self.first.offset)
        guard count.magnitude < 0x1p62 else { return nil }
        let start = self.first.start + SampleCount(Int64(count))
        return SeekPoint(offset: min(offset, self.end), start: start, precision: .estimated)
    }
}
