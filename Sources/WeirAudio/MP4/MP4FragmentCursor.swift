// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Walks over the samples of a track in one fragment (`moof`, ISO 14496-12 §8.8), kept as stored.
///
///     moof
///       mfhd                    number
///       traf …
///         tfhd                  track; the start of its data, the defaults of its samples
///         tfdt                  when its first sample is decoded
///         trun …                where a run starts, then duration, size, flags and delay,
///                               as far as they differ
struct MP4FragmentCursor: Sendable {
    private let bytes: ByteMemory
    /// The offset of the first byte in the stream.
    private let offset: Int64
    /// The offset of the `moof` box.
    private let start: Int64
    private let track: UInt32
    private let defaults: MP4SampleDefaults

    /// When the next sample is decoded.
    private(set) var time: Int64
    /// Whether ``time`` comes from the fragment itself, not from the samples before it.
    private(set) var hasOwnTime = false

    /// The boxes that were not read yet: of the fragment, and of the current track in it.
    private var tracks: Range<Int>
    private var runs: Range<Int> = 0..<0
    private var isForeign = false
    private var settings = MP4SampleDefaults()
    /// The base of the current track's offsets, and the end of the track's last run.
    private var base: Int64
    private var dataEnd: Int64

    private var entry = 0
    private var entrySize = 0
    private var left = 0
    private var runFlags: UInt32 = 0
    private var isSigned = false
    private var firstFlags: UInt32?

    /// - Parameters:
    ///   - box: the `moof`; the cursor copies its content.
    ///   - start: the offset of the header of the `moof`.
    ///   - track: the number of the track.
    ///   - defaults: the defaults for the samples.
    ///   - time: when the first sample is decoded, if the fragment does not state it.
    init(_ box: MP4Box, start: Int64, track: UInt32, defaults: MP4SampleDefaults, time: Int64) {
        self.bytes = box.content.copy
        self.offset = box.offset
        self.start = start
        self.track = track
        self.defaults = defaults
        self.time = time
        self.tracks = 0..<box.content.count
        self.base = start
        self.dataEnd = start
    }

    /// The range of the fragment in the stream.
    var range: Range<Int64> { self.start..<self.offset + Int64(self.bytes.count) }

    /// The next sample; samples without bytes are skipped.
    ///
    /// - Returns: `nil` after the last sample.
    /// - Throws: `malformed` if a box is damaged, or the offset of a run is impossible.
    mutating func next() throws(AudioStreamError) -> MP4Sample? {
        while true {
            while self.left > 0 {
                if self.entrySize == 0, self.isForeign || self.settings.size == 0 {
                    try self.passRun()
                    break
                }
                let sample = self.takeSample()
                if !self.isForeign, sample.size > 0 { return sample }
            }
            guard try self.enterNextRun() else { return nil }
        }
    }

    private mutating func takeSample() -> MP4Sample {
        let flags = self.runFlags
        var position = self.entry
        var sample = MP4Sample(
            offset: self.dataEnd,
            size: 0,
            time: self.time,
            duration: 0,
            isSync: true
        )
        var own = self.firstFlags ?? self.settings.flags
        self.firstFlags = nil
        var delay: Int64 = 0
        let (settings, isSigned) = (self.settings, self.isSigned)
        self.bytes.withView { view in
            var duration = settings.duration
            var size = settings.size
            if flags & 0x100 != 0 {
                duration = view.big(position)
                position &+= 4
            }
            if flags & 0x200 != 0 {
                size = view.big(position)
                position &+= 4
            }
            if flags & 0x400 != 0 {
                own = view.big(position)
                position &+= 4
            }
            if flags & 0x800 != 0 {
                delay =
                    isSigned
                    ? Int64(view.big(position, Int32.self)) : Int64(view.big(position, UInt32.self))
            }
            sample.duration = Int64(duration)
            sample.size = Int(size)
        }
        sample.isSync = MP4SampleDefaults.isSync(own)
        sample.description = Int(settings.description) - 1
        self.entry &+= self.entrySize
        self.left &-= 1
        // The sum cannot overflow: a run starts below a quarter of the range of 64 bits, and each
        // of its sizes is stored in memory or is the size of bytes in the stream.
        self.dataEnd &+= Int64(sample.size)
        if !self.isForeign { self.time = sample.end }
        sample.time = sample.time.addingReportingOverflow(delay).partialValue
        return sample
    }

    /// Skips a run of equal samples that are not needed.
    private mutating func passRun() throws(AudioStreamError) {
        // Both factors have 32 bits: the product fits 64 bits only without a sign.
        let size = UInt64(self.left) * UInt64(self.settings.size)
        guard size < UInt64(Int64.max / 4), self.dataEnd < Int64.max / 4 - Int64(size) else {
            throw self.fault("A run of samples has no end")
        }
        self.dataEnd += Int64(size)
        if !self.isForeign {
            // Both factors have 32 bits: the product fits 64 bits only without a sign.
            let length = UInt64(self.left) * UInt64(self.settings.duration)
            let passed = Int64(min(length, UInt64(Int64.max / 4)))
            let (time, overflow) = self.time.addingReportingOverflow(passed)
            self.time = overflow ? .max : time
        }
        self.left = 0
    }

    private func fault(_ reason: String) -> AudioStreamError {
        AudioStreamError(.malformed, at: self.start, reason)
    }

    // MARK: Boxes

    private mutating func enterNextRun() throws(AudioStreamError) -> Bool {
        let bytes = self.bytes
        return try bytes.withView { view throws(AudioStreamError) in
            while true {
                while let box = try Self.take(&self.runs, of: view, at: self.offset) {
                    guard box.type == "trun" else { continue }
                    try self.enterRun(box)
                    if self.left > 0 { return true }
                }
                guard let box = try Self.take(&self.tracks, of: view, at: self.offset) else {
                    return false
                }
                if box.type == "traf" { try self.enterTrack(box) }
            }
        }
    }

    private static func take(
        _ range: inout Range<Int>,
        of view: ByteView,
        at offset: Int64
    ) throws(AudioStreamError) -> MP4Box? {
        var boxes = MP4Boxes(view[range], offset: offset + Int64(range.lowerBound))
        let box = try boxes.next()
        range =
            box == nil
            ? range.upperBound..<range.upperBound
            : range.lowerBound + boxes.position..<range.upperBound
        return box
    }

    private mutating func enterTrack(_ box: MP4Box) throws(AudioStreamError) {
        let previousEnd = self.dataEnd
        var header: MP4Box?
        var time: MP4Box?
        var children = box.children
        while let child = try children.next() {
            if child.type == "tfhd" { header = child }
            if child.type == "tfdt" { time = child }
        }
        guard let header else { throw box.fault("A fragment of a track has no header") }
        try self.readHeader(header, previousEnd: previousEnd)
        if !self.isForeign, let time {
            let isLong = time.version == 1
            try time.require(isLong ? 12 : 8)
            let start =
                isLong ? time.content.big(4, UInt64.self) : UInt64(time.content.big(4, UInt32.self))
            guard start < UInt64(Int64.max / 4) else {
                throw time.fault("A fragment starts after the largest possible time")
            }
            self.time = Int64(start)
            self.hasOwnTime = true
        }
        let first = Int(box.offset - self.offset)
        self.runs = first..<first + box.content.count
    }

    private mutating func readHeader(
        _ box: MP4Box,
        previousEnd: Int64
    ) throws(AudioStreamError) {
        try box.require(8)
        let flags = box.flags
        self.isForeign = box.content.big(4, UInt32.self) != self.track
        self.settings = self.defaults
        var position = 8
        func number() throws(AudioStreamError) -> UInt32 {
            try box.require(position + 4)
            defer { position += 4 }
            return box.content.big(position)
        }
        // Without a base, all tracks count from the fragment if flag 0x20000 is set. Otherwise only
        // the first track does, and each later track counts from the end of the data of the
        // previous track.
        self.base = flags & 0x2_0000 != 0 ? self.start : previousEnd
        if flags & 0x1 != 0 {
            let base = UInt64(try number()) << 32 | UInt64(try number())
            guard base < UInt64(Int64.max / 4) else {
                throw box.fault("A fragment lies beyond the largest possible offset")
            }
            self.base = Int64(base)
        }
        if flags & 0x2 != 0 { self.settings.description = try number() }
        if flags & 0x8 != 0 { self.settings.duration = try number() }
        if flags & 0x10 != 0 { self.settings.size = try number() }
        if flags & 0x20 != 0 { self.settings.flags = try number() }
        self.dataEnd = self.base
    }

    private mutating func enterRun(_ box: MP4Box) throws(AudioStreamError) {
        try box.require(8)
        let flags = box.flags
        var position = 8
        if flags & 0x1 != 0 {
            try box.require(position + 4)
            let start = self.base + Int64(box.content.big(position, Int32.self))
            guard start >= 0 else { throw box.fault("A run of samples lies before the stream") }
            self.dataEnd = start
            position += 4
        }
        self.firstFlags = nil
        if flags & 0x4 != 0 {
            try box.require(position + 4)
            self.firstFlags = box.content.big(position)
            position += 4
        }
        guard self.dataEnd < Int64.max / 4 else {
            throw box.fault("A run of samples lies beyond the largest possible offset")
        }
        let count = Int64(box.content.big(4, UInt32.self))
        self.entrySize = 4 * ((flags >> 8) & 0xF).nonzeroBitCount
        guard count * Int64(self.entrySize) <= Int64(box.content.count - position) else {
            throw box.fault("A run has more samples than bytes")
        }
        self.left = Int(count)
        self.entry = Int(box.offset - self.offset) + position
        self.runFlags = flags
        self.isSigned = box.version > 0
    }
}

/// The defaults for the samples of fragments (`trex` and `tfhd`, ISO 14496-12 §8.8.3 and §8.8.7).
struct MP4SampleDefaults: Hashable, Sendable {
    /// The number of the sample description, from 1.
    var description: UInt32 = 1
    /// How long a sample lasts, in units of the track.
    var duration: UInt32 = 0
    /// How many bytes a sample has.
    var size: UInt32 = 0
    /// The flags of a sample: 0x10000 means that decoding cannot start with it.
    var flags: UInt32 = 0

    /// Whether the flags allow decoding to start with the sample.
    static func isSync(_ flags: UInt32) -> Bool { flags & 0x1_0000 == 0 }
}
