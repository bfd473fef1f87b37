// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Looks for a time in a file of fragments: in what is known, and if that ends before it in the index at the file's
/// end (`mfra`), whose last box says how long it is (`mfro`, ISO 14496-12 §8.8.11).
///
///     mfro   size 16 (32), 'mfro', version and flags (32), size of the mfra (32)
///
/// One look at the last 64 KiB does for both; an index that is longer is not used.
struct MP4FragmentSearch: SeekSearching {
    /// How many bytes are read at once.
    private static let longest: Int64 = 64 << 10
    private static let endCount: Int64 = 16

    private var map: MP4FragmentMap
    private let target: Int64
    private let timeLine: MP4TimeLine
    private let track: UInt32
    private var look: Range<Int64>?

    /// - Parameters:
    ///   - map: what is known of fragments.
    ///   - target: what is looked for, in units of the track.
    ///   - timeLine: when samples are played.
    ///   - track: the number of the track.
    ///   - length: how many bytes the stream has, if known.
    init(map: MP4FragmentMap, target: Int64, timeLine: MP4TimeLine, track: UInt32, length: Int64?) {
        self.map = map
        self.target = target
        self.timeLine = timeLine
        self.track = track
        self.look = nil
        if let length, length >= Self.endCount, target >= map.end {
            self.look = max(0, length - Self.longest)..<length
        }
    }

    var step: SeekSearch.Step {
        if let look = self.look { return .read(look) }
        guard let mark = self.map.mark(at: self.target) else {
            return .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        }
        return .found(Self.point(mark, timeLine: self.timeLine))
    }

    mutating func read(_ bytes: ByteMemory) {
        guard let range = self.look else { return }
        self.look = nil
        guard bytes.count >= Int(Self.endCount), bytes.count == range.count else { return }
        bytes.withView { view in
            let end = view[view.count - Int(Self.endCount)..<view.count]
            let size = Int(end.big(12, UInt32.self))
            guard end.matches("mfro", at: 4), size >= 24, size <= view.count else { return }
            let start = view.count - size
            var boxes = MP4Boxes(
                view[start..<view.count],
                offset: range.lowerBound + Int64(start)
            )
            guard let box = try? boxes.next("mfra") else { return }
            self.map.read(access: box, track: self.track, shift: self.timeLine.shift)
        }
    }

    /// A place in a file of fragments as a point to start at.
    static func point(_ mark: MP4FragmentMap.Mark, timeLine: MP4TimeLine) -> SeekPoint {
        SeekPoint(
            offset: mark.offset,
            start: SampleCount(timeLine.start(mark.time)),
            precision: .table
        )
    }
}
