// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of an Ogg page (RFC 3533 §6); integers have their least significant byte first.
///
///     offset 0   "OggS"                           32 bits
///            4   version, 0                        8
///            5   flags                             8   1 continued, 2 first, 4 last of its stream
///            6   granule position                 64   of the last packet to end here; -1: none
///           14   serial number of the stream      32
///           18   sequence number of the page      32
///           22   CRC-32                           32   of the whole page with this field zeroed
///           26   number of segments, n             8
///           27   sizes of the segments             8 n   a size below 255 ends a packet
///       27 + n   the segments
struct OggPageHeader: Hashable, Sendable {
    /// How many bytes the header has, without the sizes of the segments.
    static let byteCount = 27
    /// Larger granule positions are ignored, so that sums of times fit (2^62 samples are a million
    /// years).
    private static let maximumGranule: Int64 = 1 << 62

    /// Whether the first segment continues a packet of an earlier page.
    let isContinued: Bool
    /// Whether this is the first page of its stream.
    let isFirst: Bool
    /// Whether this is the last page of its stream.
    let isLast: Bool
    /// The granule position as stored, 0 to 2^62; `nil` for -1 and invalid values.
    let granule: Int64?
    /// Which of the multiplexed streams the page belongs to.
    let serial: UInt32
    /// The number of the page in its stream.
    let sequence: UInt32
    /// The checksum as stored.
    let checksum: UInt32
    /// How many segments there are, 0 to 255.
    let segmentCount: Int

    /// Reads a header; `nil` if no page of version 0 starts there.
    ///
    /// - Parameter view: the bytes from the possible start of a page, at least 27.
    @inline(__always)
    init?(_ view: ByteView) {
        guard view.count >= Self.byteCount, view.matches("OggS"), view[4] == 0, view[5] < 8 else {
            return nil
        }
        self.isContinued = view[5] & 1 != 0
        self.isFirst = view[5] & 2 != 0
        self.isLast = view[5] & 4 != 0
        let granule = view.little(6, Int64.self)
        self.granule = granule >= 0 && granule <= Self.maximumGranule ? granule : nil
        self.serial = view.little(14)
        self.sequence = view.little(18)
        self.checksum = view.little(22)
        self.segmentCount = Int(view[26])
    }

    /// How many bytes the page has.
    ///
    /// - Parameter view: the page, at least its header and the sizes of the segments.
    /// - Returns: 27 to 65,307.
    @inline(__always)
    func pageByteCount(_ view: ByteView) -> Int {
        var count = Self.byteCount &+ self.segmentCount
        let sizes = view[Self.byteCount..<Self.byteCount &+ self.segmentCount]
        for index in 0..<self.segmentCount { count &+= Int(sizes.base[index]) }
        return count
    }
}
