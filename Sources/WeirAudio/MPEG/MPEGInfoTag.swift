// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an encoder wrote into a first frame that holds no sound: Xing's and LAME's tag, or Fraunhofer's VBRI.
struct MPEGInfoTag: Hashable, Sendable {
    /// The format of the tag.
    enum Kind: Sendable {
        /// `Xing`: the bit rate varies.
        case xing
        /// `Info`: the same tag for a constant bit rate.
        case info
        /// `VBRI`.
        case vbri
    }

    /// The format of the tag.
    var kind: Kind
    /// How many frames follow, this one not counted; `nil` if it is not stated.
    var frameCount: Int64?
    /// How many bytes the stream has from this frame on, this one counted; `nil` if it is not stated.
    var byteCount: Int64?
    /// Where in these bytes the parts of the time begin that the table has; empty if there is none.
    ///
    /// 100 of Xing's, in 1/256 of all bytes; as many as there are of VBRI's, in bytes behind this frame.
    var table: [Int64] = []
    /// How many frames a part of VBRI's table has.
    var framesPerEntry: Int64 = 0
    /// Samples that the encoder put before the first, without the decoder's delay.
    var delay: Int64?
    /// Samples that the encoder put behind the last, with the decoder's delay.
    var padding: Int64?
    /// Whether the checksum of LAME's part is there and does not fit: what it covers is not believed then.
    var isChecksumWrong = false
    /// Whether the number of frames is that of this stream, as far as known; the table may hold all the same.
    var isFrameCountBelieved = true
    /// Whether the stream ends before the bytes do that the tag counts.
    var isCutShort = false
    /// Whether the stream goes on behind the bytes that the tag counts: files were joined.
    var isPart = false
    /// Whether a few bytes follow those that the tag counts: tags of text, or sound that was joined on.
    var hasAppendix = false

    /// Reads the tag in a frame; `nil` if it holds none.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - header: its header.
    ///   - isCertain: whether the frame is where tags are, the first of the stream; if not, it has to be silent, too.
    init?(_ frame: ByteView, _ header: MPEGFrameHeader, isCertain: Bool) {
        guard header.layer == 3 else { return nil }
        let side = header.sideInfoOffset
        let length = header.sideInfoByteCount
        let start = side + length
        if !isCertain {
            guard frame.count >= 4 + length else { return nil }
            for index in side..<4 + length where frame[index] != 0 { return nil }
        }
        // LAME writes it where it would be without a checksum even if there is one.
        let mark = [start, 4 + length].first {
            frame.matches("Xing", at: $0) || frame.matches("Info", at: $0)
        }
        if let mark {
            self.kind = frame[mark] == UInt8(ascii: "X") ? .xing : .info
            self.readXing(frame, at: mark)
        } else if frame.matches("VBRI", at: 36) {
            self.kind = .vbri
            guard self.readVBRI(frame) else { return nil }
        } else {
            return nil
        }
    }

    /// Whether a frame may hold a tag, at little cost: it starts with eight bytes of silence.
    @inline(__always)
    static func isPossible(in frame: ByteView, _ header: MPEGFrameHeader) -> Bool {
        frame.big(header.sideInfoOffset, UInt64.self) == 0
    }

    /// Whether it tells of all bytes of the stream: of none if it does not say how many it describes.
    var isOfAllBytes: Bool { self.byteCount != nil && !self.isPart }

    /// Takes a count of bytes that it does not state from the bit rate, if that is constant, and says whether that is all.
    ///
    /// Without a length nothing would tell a count that is wrong from a stream that goes on.
    ///
    /// - Parameters:
    ///   - range: where the frame is that holds it.
    ///   - header: of the first frame behind it.
    ///   - length: of the stream in bytes, if known.
    mutating func complete(
        _ range: Range<Int64>,
        sound header: MPEGFrameHeader,
        length: Int64?
    ) {
        guard self.byteCount == nil, self.kind == .info, let length,
            let end = self.extent(range, sound: header)?.end
        else { return }
        let surplus = length - end
        guard surplus > -Int64(MPEGFrameHeader.largestFreeFrame) else { return }
        self.byteCount = end - range.lowerBound
        self.settle(surplus)
    }

    /// So many bytes follow those that it counts.
    private mutating func settle(_ surplus: Int64) {
        self.isPart = surplus > Self.mostAppended
        // An ID3v1 tag has 128.
        self.hasAppendix = surplus > 128
    }

    /// Samples to drop at the start: what the encoder says, and 529 for the decoder.
    var leading: Int64? { self.delay.map { $0 + Self.decoderDelay } }

    /// Samples to drop at the end: what the encoder says, less what the decoder's delay has moved out.
    var trailing: Int64? { self.padding.map { max(0, $0 - Self.decoderDelay) } }

    /// How far any layer III decoder lags behind: 528 samples and one.
    static let decoderDelay: Int64 = 529

    /// How many bytes behind those that the tag counts may be tags of text.
    private static let mostAppended: Int64 = 32 << 10
}

extension MPEGInfoTag {
    /// The bytes and the sound that it describes.
    ///
    /// - Parameters:
    ///   - range: where the frame is that holds it.
    ///   - header: of a frame behind it.
    /// - Returns: `nil` if it does not say, or is not believed.
    func extent(_ range: Range<Int64>, sound header: MPEGFrameHeader) -> MPEGPart.Extent? {
        guard let frames = self.frameCount, self.isFrameCountBelieved else { return nil }
        var end = self.byteCount.map { range.lowerBound + $0 }
        if end == nil, self.kind == .info, !header.isFreeFormat {
            end = header.byteCount(of: frames).map { range.upperBound + $0 }
        }
        guard let end, end > range.upperBound else { return nil }
        return MPEGPart.Extent(
            end: end,
            samples: frames * Int64(header.sampleCount),
            leading: self.leading ?? 0,
            trailing: self.trailing ?? 0
        )
    }

    /// The places that the table tells of, and the end.
    ///
    /// - Parameters:
    ///   - tagRange: where the frame is that holds the tag.
    ///   - first: where the first frame with sound is, and when it starts.
    ///   - samples: how many the frames hold.
    ///   - bytes: how many the tag speaks of, its own frame counted.
    ///   - frame: how many samples a frame has.
    /// - Returns: `nil` if there is no table.
    func marks(
        tagRange: Range<Int64>,
        first: Bisection.Mark,
        samples: Int64,
        bytes: Int64,
        frame: Int64
    ) -> [Bisection.Mark]? {
        guard !self.table.isEmpty, bytes > 0 else { return nil }
        let start = tagRange.lowerBound
        let base = first.start.rawValue
        var marks = [first]
        for (index, entry) in self.table.enumerated() {
            let isVBRI = self.kind == .vbri
            // Xing counts from the frame with the tag on, in 256ths; VBRI from the one behind it.
            let offset = isVBRI ? tagRange.upperBound + entry : start + entry * bytes / 256
            let time =
                isVBRI
                ? Int64(index) * self.framesPerEntry * frame : Int64(index) * samples / 100
            guard let last = marks.last, base + time > last.start.rawValue, time < samples
            else { continue }
            let mark = Bisection.Mark(
                offset: max(offset, last.offset),
                start: SampleCount(base + time)
            )
            marks.append(mark)
        }
        let end = start.addingReportingOverflow(bytes).partialValue
        if let last = marks.last, base + samples > last.start.rawValue {
            marks.append(
                Bisection.Mark(offset: max(end, last.offset), start: SampleCount(base + samples))
            )
        }
        return marks
    }
}

extension MPEGInfoTag {
    /// Drops what contradicts itself or the stream.
    ///
    /// - Parameters:
    ///   - header: of the frame that holds the tag.
    ///   - available: how many bytes the stream has from that frame on, if known.
    /// - Returns: whether anything did.
    mutating func doubt(_ header: MPEGFrameHeader, available: Int64?) -> Bool {
        var isDoubtful = false
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        if let bytes = self.byteCount, let available {
            // More than there is: cut short. Count and duration are of something else, while the table holds for the
            // bytes that it speaks of. Much more behind it than tags of text take: something was appended.
            let surplus = available - bytes
            if surplus < -largest {
                self.isFrameCountBelieved = false
                self.isCutShort = true
                isDoubtful = true
            }
            self.settle(surplus)
        }
        if let frames = self.frameCount, let bytes = self.byteCount ?? available {
            // No frame is longer, or shorter than at the lowest bit rate: 8 kbit/s, in MPEG-1 32.
            let bits: Int64 = header.isMPEG1 ? 32_000 : 8000
            let smallest = Int64(header.sampleCount / 8) * bits / Int64(header.sampleRate)
            if frames > bytes / smallest + 1
                || (self.byteCount != nil && frames * largest < bytes / 2)
            {
                self.frameCount = nil
                isDoubtful = true
            }
        }
        if !self.hasSoundTable {
            self.table = []
            isDoubtful = true
        }
        return isDoubtful
    }

    /// Whether the places in the table go forwards, and not past the end.
    private var hasSoundTable: Bool {
        for (former, latter) in zip(self.table, self.table.dropFirst()) where latter < former {
            return false
        }
        guard self.kind == .vbri, let last = self.table.last, let bytes = self.byteCount else {
            return true
        }
        return last <= bytes
    }
}
