// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of the STREAMINFO block of a FLAC stream (RFC 9639 §8.2).
///
///     offset 0   minimum block size in samples      16 bits
///            2   maximum block size in samples      16
///            4   minimum frame size in bytes        24   0: unknown
///            7   maximum frame size in bytes        24   0: unknown
///           10   sample rate in Hz                  20
///                channels - 1                        3
///                bits a sample - 1                   5
///                samples in all                     36   0: unknown
///           18   MD5 of the samples                128   0: unknown
struct FLACStreamInfo: Hashable, Sendable {
    /// How many bytes the block has, without the block header.
    static let byteCount = 34

    /// The fewest samples of a block, except the last block, as stated; 16 to 65,535 in a valid
    /// stream.
    let minimumBlockSize: Int
    /// The most samples of a block, as stated; 16 to 65,535 in a valid stream.
    let maximumBlockSize: Int
    /// The fewest bytes of a frame; `nil` if unknown.
    let minimumFrameSize: Int?
    /// The most bytes of a frame; `nil` if unknown.
    let maximumFrameSize: Int?
    /// Samples a second, from 1.
    let sampleRate: Int
    /// How many channels there are, 1 to 8.
    let channelCount: Int
    /// How many bits a sample has, 4 to 32.
    let bitsPerSample: Int
    /// How many samples the stream has; `nil` if unknown.
    let totalSamples: Int64?
    /// The block as it is stored.
    let bytes: [UInt8]

    /// Whether all blocks except the last have the same size.
    var isFixedBlockSize: Bool { self.minimumBlockSize == self.maximumBlockSize }

    /// Reads the block, without its block header.
    ///
    /// Fails if the block is too short, or states a rate of 0 or fewer than 4 bits.
    ///
    /// - Parameter view: the block, from 34 bytes; later bytes are ignored.
    init?(_ view: ByteView) {
        guard view.count >= Self.byteCount else { return nil }
        self.minimumBlockSize = Int(view.big(0, UInt16.self))
        self.maximumBlockSize = Int(view.big(2, UInt16.self))
        let smallest = Int(view.big24(4))
        let largest = Int(view.big24(7))
        self.minimumFrameSize = smallest == 0 ? nil : smallest
        self.maximumFrameSize = largest == 0 ? nil : largest
        let packed = view.big(10, UInt64.self)
        self.sampleRate = Int(packed >> 44)
        self.channelCount = Int(packed >> 41 & 0x7) + 1
        self.bitsPerSample = Int(packed >> 36 & 0x1F) + 1
        let total = Int64(packed & 0xF_FFFF_FFFF)
        self.totalSamples = total == 0 ? nil : total
        self.bytes = view[0..<Self.byteCount].array
        guard self.sampleRate > 0, self.bitsPerSample >= 4 else { return nil }
    }
}

/// The points of a SEEKTABLE block (RFC 9639 §8.5), limited in number.
///
///     point   first sample of a frame 64 (all ones: a placeholder) | offset of the frame 64 |
///             its samples 16
///
/// Offsets count from the first frame. The table leaves out points that are out of order. When it
/// reaches ``maximumCount`` points, it drops every second one. From then on, it keeps only every
/// second, fourth, … later point.
struct FLACSeekTable: Hashable, Sendable {
    /// How many bytes a point has in the stream.
    static let pointByteCount = 18
    /// The most points that are kept; they take half a megabyte.
    static let maximumCount = 32_768

    /// The points, ascending in time and offset; offsets count from the first frame.
    private(set) var points: [Bisection.Mark] = []
    private var stride = 1
    private var ignored = 0

    /// Takes the next point.
    ///
    /// - Parameter view: the 18 bytes of the point.
    mutating func append(_ view: ByteView) {
        guard let sample = Int64(exactly: view.big(0, UInt64.self)).map({ SampleCount($0) }),
            let offset = Int64(exactly: view.big(8, UInt64.self)), offset < 1 << 60
        else { return }
        if let last = self.points.last, sample <= last.start || offset <= last.offset { return }
        self.ignored += 1
        guard self.ignored >= self.stride else { return }
        self.ignored = 0
        self.points.append(Bisection.Mark(offset: offset, start: sample))
        guard self.points.count >= Self.maximumCount else { return }
        self.stride *= 2
        self.points = self.points.indices.filter { $0 % 2 == 0 }.map { self.points[$0] }
    }

    /// The last point at or before a sample.
    ///
    /// - Parameter sample: the sample.
    /// - Returns: `nil` if there is no such point.
    func point(before sample: SampleCount) -> Bisection.Mark? {
        var low = 0
        var high = self.points.count
        while low < high {
            let middle = (low + high) / 2
            if self.points[middle].start <= sample { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : self.points[low - 1]
    }

    /// The last point at or before an offset from the first frame.
    ///
    /// - Parameter offset: the offset.
    /// - Returns: `nil` if there is no such point.
    func point(beforeOffset offset: Int64) -> Bisection.Mark? {
        self.points.last { $0.offset <= offset }
    }
}
