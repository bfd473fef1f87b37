// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A small file with known packets.
struct MP4File {
    /// The place of the index.
    enum Layout: CaseIterable {
        case indexFirst
        case indexLast
        case fragments
    }

    var layout = Layout.indexFirst
    var sizes = [5, 9, 1, 300, 7, 12, 6, 40]
    var lastDuration = 1_024
    /// Other durations for some samples, by sample number.
    var otherDurations: [Int: Int] = [:]
    var perChunk = 3
    /// Bytes of another track between chunks.
    var gap = 11
    var edits: [[Int]] = []
    var movieScale = 1_000
    var scale = 44_100
    var unitsPerSample = 1
    var user: [UInt8] = []
    var entry = MP4File.aacEntry
    /// More sample descriptions.
    ///
    /// `descriptions` lists the number, from 1, of each chunk's description; if it is empty, all are 1.
    var moreEntries: [[UInt8]] = []
    var descriptions: [Int] = []
    var hasVideo = false
    var extraTables: [UInt8] = []

    static let aacEntry = MP4File.soundEntry("mp4a", MP4File.esds([0x12, 0x10]))

    static func soundEntry(
        _ type: String,
        channels: Int = 2,
        bits: Int = 16,
        rate: Int = 44_100,
        _ boxes: [UInt8] = []
    ) -> [UInt8] {
        let head =
            [UInt8](repeating: 0, count: 6) + MP4Bytes.u16(1) + [UInt8](repeating: 0, count: 8)
        let sound =
            MP4Bytes.u16(channels) + MP4Bytes.u16(bits) + MP4Bytes.u32(0) + MP4Bytes.u32(rate << 16)
        return MP4Bytes.box(type, head, sound, boxes)
    }

    static func esds(_ config: [UInt8], objectType: UInt8 = 0x40) -> [UInt8] {
        let specific: [UInt8] = [5, UInt8(config.count)] + config
        let decoder =
            [4, UInt8(13 + specific.count), objectType, 0x15] + [UInt8](repeating: 0, count: 11)
            + specific
        // The descriptor has its length in four bytes, as many programs write it.
        return MP4Bytes.full(
            "esds",
            [3, 0x80, 0x80, 0x80, UInt8(3 + decoder.count), 0, 1, 0],
            decoder
        )
    }

    var payloads: [[UInt8]] {
        self.sizes.enumerated().map { index, size in
            (0..<size).map { UInt8(truncatingIfNeeded: index * 31 + $0 * 7) }
        }
    }

    var durations: [Int] {
        self.sizes.indices.map { index in
            let usual = index == self.sizes.count - 1 ? self.lastDuration : 1_024
            return (self.otherDurations[index] ?? usual) * self.unitsPerSample
        }
    }

    var bytes: [UInt8] {
        let fileType = MP4Bytes.box("ftyp", Array("M4A \0\0\0\0isom".utf8))
        switch self.layout {
        case .indexFirst:
            let start = fileType.count + self.movie(dataAt: 0).count + 8
            return fileType + self.movie(dataAt: start) + MP4Bytes.box("mdat", self.data)
        case .indexLast:
            return fileType + MP4Bytes.box("mdat", self.data)
                + self.movie(dataAt: fileType.count + 8)
        case .fragments:
            var file = fileType + self.movie(dataAt: nil)
            var first = 0
            while first < self.sizes.count {
                let last = min(self.sizes.count, first + self.perChunk)
                file += self.fragment(first..<last)
                first = last
            }
            return file
        }
    }

    private var data: [UInt8] {
        var data: [UInt8] = []
        for (index, payload) in self.payloads.enumerated() {
            if index % self.perChunk == 0 { data += [UInt8](repeating: 0xEE, count: self.gap) }
            data += payload
        }
        return data
    }

    func movie(dataAt start: Int?) -> [UInt8] {
        let header = MP4Bytes.full(
            "mvhd",
            MP4Bytes.u32(0) + MP4Bytes.u32(0) + MP4Bytes.u32(self.movieScale) + MP4Bytes.u32(0),
            [UInt8](repeating: 0, count: 80)
        )
        let video = MP4Bytes.box(
            "trak",
            MP4Bytes.full("tkhd", flags: 1, [UInt8](repeating: 0, count: 80)),
            MP4Bytes.box("mdia", MP4Bytes.full("hdlr", MP4Bytes.u32(0), Array("vide".utf8)))
        )
        let extends = MP4Bytes.box(
            "mvex",
            MP4Bytes.full(
                "trex",
                [1, 1, 1_024 * self.unitsPerSample, 0, 0].flatMap { MP4Bytes.u32($0) }
            )
        )
        return MP4Bytes.box(
            "moov",
            header,
            self.hasVideo ? video : [],
            self.track(dataAt: start),
            start == nil ? extends : [],
            self.user.isEmpty ? [] : MP4Bytes.box("udta", self.user)
        )
    }

    private func track(dataAt start: Int?) -> [UInt8] {
        let rows = self.edits
        let list = rows.isEmpty ? [] : MP4Bytes.box("edts", MP4Bytes.table("elst", rows: rows))
        let header = MP4Bytes.full(
            "tkhd",
            flags: 1,
            [0, 0, 1].flatMap { MP4Bytes.u32($0) },
            [UInt8](repeating: 0, count: 68)
        )
        let media = MP4Bytes.full("mdhd", [0, 0, self.scale, 0, 0].flatMap { MP4Bytes.u32($0) })
        let handler = MP4Bytes.full(
            "hdlr",
            MP4Bytes.u32(0),
            Array("soun".utf8),
            [UInt8](repeating: 0, count: 13)
        )
        let tables = MP4Bytes.box("stbl", self.tables(dataAt: start))
        return MP4Bytes.box(
            "trak",
            header,
            list,
            MP4Bytes.box("mdia", media, handler, MP4Bytes.box("minf", tables))
        )
    }

    private func tables(dataAt start: Int?) -> [UInt8] {
        let description = MP4Bytes.full(
            "stsd",
            MP4Bytes.u32(1 + self.moreEntries.count),
            self.entry,
            self.moreEntries.flatMap(\.self)
        )
        guard let start else {
            return description + MP4Bytes.table("stts", rows: []) + MP4Bytes.table("stsc", rows: [])
                + MP4Bytes.full("stsz", MP4Bytes.u32(0), MP4Bytes.u32(0))
                + MP4Bytes.table("stco", rows: [])
        }
        var chunks: [[Int]] = []
        var offset = start
        for (index, size) in self.sizes.enumerated() {
            if index % self.perChunk == 0 {
                offset += self.gap
                chunks.append([offset])
            }
            offset += size
        }
        let rest = self.sizes.count % self.perChunk
        var runs = [[1, self.perChunk, 1]]
        if rest > 0, chunks.count > 1 { runs.append([chunks.count, rest, 1]) }
        if !self.descriptions.isEmpty {
            runs = chunks.indices.map { index in
                let isRest = rest > 0 && index == chunks.count - 1
                return [index + 1, isRest ? rest : self.perChunk, self.descriptions[index]]
            }
        }
        let times = self.durations.map { [1, $0] }
        return description + MP4Bytes.table("stts", rows: times) + self.extraTables
            + MP4Bytes.table("stsc", rows: runs)
            + MP4Bytes.full(
                "stsz",
                MP4Bytes.u32(0),
                MP4Bytes.u32(self.sizes.count),
                self.sizes.flatMap { MP4Bytes.u32($0) }
            )
            + MP4Bytes.table("stco", rows: chunks)
    }

    private func fragment(_ samples: Range<Int>) -> [UInt8] {
        let time = self.durations[0..<samples.lowerBound].reduce(0, +)
        func boxes(dataAt start: Int) -> [UInt8] {
            let run =
                MP4Bytes.u32(samples.count) + MP4Bytes.u32(start)
                + samples.flatMap {
                    MP4Bytes.u32(self.durations[$0]) + MP4Bytes.u32(self.sizes[$0])
                }
            return MP4Bytes.box(
                "moof",
                MP4Bytes.full("mfhd", MP4Bytes.u32(1)),
                MP4Bytes.box(
                    "traf",
                    MP4Bytes.full("tfhd", flags: 0x2_0000, MP4Bytes.u32(1)),
                    MP4Bytes.full("tfdt", version: 1, MP4Bytes.u64(time)),
                    MP4Bytes.full("trun", flags: 0x301, run)
                )
            )
        }
        let start = boxes(dataAt: 0).count + 8 + self.gap
        let data = [UInt8](repeating: 0xEE, count: self.gap) + samples.flatMap { self.payloads[$0] }
        return boxes(dataAt: start) + MP4Bytes.box("mdat", data)
    }

    /// Whether the parser found all packets, with the right start times in samples.
    func matches(_ packets: [WeirPacket]) -> Bool {
        var time = 0
        var expected: [WeirPacket] = []
        for (payload, duration) in zip(self.payloads, self.durations) {
            expected.append(WeirPacket(payload: payload, start: time / self.unitsPerSample))
            time += duration
        }
        return packets == expected
    }
}

/// The properties of a packet that the tests compare.
struct WeirPacket: Equatable {
    var payload: [UInt8]
    var start: Int
}
