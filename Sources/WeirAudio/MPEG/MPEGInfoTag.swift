// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An encoder's tag in a first frame without sound: Xing's and LAME's tag, or Fraunhofer's VBRI.
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
    /// How many frames follow, without the tag's own frame; `nil` if the tag does not say.
    var frameCount: Int64?
    /// How many bytes the stream has from the tag's frame on, with that frame; `nil` if the tag
    /// does not say.
    var byteCount: Int64?
    /// The places at which the steps of the table begin; empty if there is no table.
    ///
    /// Xing's table has 100 steps, in 1/256 of all bytes; VBRI's table counts bytes from the end of
    /// the tag's frame.
    var table: [Int64] = []
    /// How many frames a step of VBRI's table has.
    var framesPerEntry: Int64 = 0
    /// Samples that the encoder added before the source, without the decoder's delay.
    var delay: Int64?
    /// Samples that the encoder added after the source, with the decoder's delay.
    var padding: Int64?
    /// Whether LAME's part has a checksum that does not match; the parser then ignores the part.
    var isChecksumWrong = false
    /// Whether the tag's number of frames is right for this stream, as far as known.
    ///
    /// The table may be right even if the number is wrong.
    var isFrameCountBelieved = true
    /// Whether the stream ends before the end of the bytes that the tag counts.
    var isCutShort = false
    /// Whether the stream continues after the bytes that the tag counts: files were joined.
    var isPart = false
    /// Whether more than 128 bytes follow the bytes that the tag counts: text tags, or a joined
    /// file.
    var hasAppendix = false

    /// Reads the tag in a frame; `nil` if the frame holds no tag.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - header: the frame's header.
    ///   - isCertain: whether the frame is the first of the stream, where tags are; if not, its
    ///     side information must be 0.
    init?(_ frame: ByteView, _ header: MPEGFrameHeader, isCertain: Bool) {
        guard header.layer == 3 else { return nil }
        let side = header.sideInfoOffset
        let length = header.sideInfoByteCount
        let start = side + length
        if !isCertain {
            guard frame.count >= 4 + length else { return nil }
            for index in side..<4 + length where frame[index] != 0 { return nil }
        }
        // LAME writes the tag at the offset for frames without a checksum, even if there is one.
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

    /// Whether a frame may hold a tag: a fast check for eight zero bytes at the start of its side
    /// information.
    @inline(__always)
    static func isPossible(in frame: ByteView, _ header: MPEGFrameHeader) -> Bool {
        frame.big(header.sideInfoOffset, UInt64.self) == 0
    }

    /// Whether the tag describes all bytes of the stream; `false` if the tag states no byte count.
    var isOfAllBytes: Bool { self.byteCount != nil && !self.isPart }

    /// Derives a missing byte count from a constant bit rate, and finds out whether more bytes
    /// follow.
    ///
    /// Without a length, a wrong count could not be distinguished from a stream that continues.
    ///
    /// - Parameters:
    ///   - range: the range of the tag's frame.
    ///   - header: the header of the first frame after the tag's frame.
    ///   - length: the length of the stream in bytes, if known.
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

    /// Records how many bytes follow the counted ones.
    private mutating func settle(_ surplus: Int64) {
        self.isPart = surplus > Self.mostAppended
        // An ID3v1 tag has 128 bytes.
        self.hasAppendix = surplus > 128
    }

    /// Samples to drop at the start: the encoder's delay, and 529 for the decoder.
    var leading: Int64? { self.delay.map { $0 + Self.decoderDelay } }

    /// Samples to drop at the end: the encoder's padding, less the decoder's delay.
    var trailing: Int64? { self.padding.map { max(0, $0 - Self.decoderDelay) } }

    /// The delay of every layer III decoder: 528 + 1 samples.
    static let decoderDelay: Int64 = 529

    /// How many bytes of text tags may follow the counted bytes.
    private static let mostAppended: Int64 = 32 << 10
}

extension MPEGInfoTag {
    /// The bytes and the samples that the tag describes.
    ///
    /// - Parameters:
    ///   - range: the range of the tag's frame.
    ///   - header: the header of a frame after the tag's frame.
    /// - Returns: `nil` if the tag does not say, or its count is not believed.
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

    /// The places in the table, and the end.
    ///
    /// - Parameters:
    ///   - tagRange: the range of the tag's frame.
    ///   - first: the first audio frame, and when it starts.
    ///   - samples: how many samples the frames hold.
    ///   - bytes: how many bytes the tag counts, its own frame included.
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
            // Xing counts from the start of the tag's frame, in 256ths; VBRI from its end.
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
    /// Drops values that contradict each other or the stream.
    ///
    /// - Parameters:
    ///   - header: the header of the tag's frame.
    ///   - available: how many bytes the stream has from that frame on, if known.
    /// - Returns: whether there was a contradiction.
    mutating func doubt(_ header: MPEGFrameHeader, available: Int64?) -> Bool {
        var isDoubtful = false
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        if let bytes = self.byteCount, let available {
            // If the tag counts more bytes than the stream has, the stream is cut short. The frame
            // count is then wrong, but the table is valid for the bytes that the tag counts. If the
            // surplus exceeds the size of text tags, another file was appended.
            let surplus = available - bytes
            if surplus < -largest {
                self.isFrameCountBelieved = false
                self.isCutShort = true
                isDoubtful = true
            }
            self.settle(surplus)
        }
        if let frames = self.frameCount, let bytes = self.byteCount ?? available {
            // No frame is longer than `largest`, or shorter than a frame at the lowest bit rate: 8
            // kbit/s, or 32 kbit/s in MPEG-1.
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

    /// Whether the places in the table ascend, and are not past the end.
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
