// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header packets of a logical stream, as far as they have arrived.
///
/// Vorbis has three (Vorbis I §4.2), Opus two (RFC 7845 §3), FLAC one and the metadata blocks (RFC
/// 9639 §10.1). Only the headers that a decoder needs are required. Comments may be missing,
/// because their page is damaged or the comments are too large.
struct OggHeaders: Sendable {
    /// The effect of a packet.
    enum Outcome {
        /// More headers follow.
        case incomplete
        /// The packet was the last header.
        case complete
        /// The headers were complete before this packet, which is audio.
        case completeBefore
        /// The stream cannot be played; the value is the reason.
        case refused(String)
    }

    /// The contents of the first packet.
    let identification: OggIdentification
    /// The first packet.
    private let first: [UInt8]
    private var comment: [UInt8]?
    private var setup: (modes: VorbisSetup, bytes: [UInt8])?
    private(set) var tags: AudioTags?
    private var pictures: [AudioPicture] = []
    /// How many bytes of tags have been read.
    private var tagByteCount = 0

    /// - Parameter view: the first packet.
    init?(_ view: ByteView) {
        guard let identification = OggIdentification(view) else { return nil }
        self.identification = identification
        self.first = view.array
    }

    /// How many bytes of a packet may be kept, judged by its first byte.
    func limit(_ firstByte: UInt8, _ limits: AudioStreamLimits) -> Int {
        guard self.mayBeCut(firstByte) else { return limits.packet }
        // FLAC blocks that are not tags, such as padding, are not kept.
        if case .flac = self.identification, firstByte & 0x7F != 4, firstByte & 0x7F != 6 {
            return 0
        }
        return max(0, limits.tag - self.tagByteCount)
    }

    /// Whether a packet may be skipped if it is too long, judged by its first byte.
    func mayBeCut(_ firstByte: UInt8) -> Bool {
        switch self.identification {
        case .vorbis: firstByte == 3
        case .opus: true
        case .flac: firstByte != 0xFF
        }
    }

    // MARK: Packets

    /// Takes the next packet.
    ///
    /// - Parameters:
    ///   - view: the packet, at least one byte; only its first bytes if it is cut.
    ///   - range: the range of the packet in the stream.
    ///   - isCut: whether the packet was too long to be kept.
    ///   - events: receives the events about the packet.
    /// - Returns: the effect of the packet.
    mutating func take(
        _ view: ByteView,
        _ range: Range<Int64>,
        isCut: Bool,
        events: inout [AudioStreamEvent]
    ) -> Outcome {
        switch self.identification {
        case .vorbis(let identification):
            return self.takeVorbis(view, range, identification, isCut: isCut, events: &events)
        case .opus:
            guard view.matches("OpusTags") else { return .completeBefore }
            self.readComment(view, 8, range, isCut: isCut, events: &events)
            return .complete
        case .flac:
            return self.takeFLAC(view, range, isCut: isCut, events: &events)
        }
    }

    private mutating func takeVorbis(
        _ view: ByteView,
        _ range: Range<Int64>,
        _ identification: VorbisIdentification,
        isCut: Bool,
        events: inout [AudioStreamEvent]
    ) -> Outcome {
        if view.matches("\u{3}vorbis") {
            self.readComment(view, 7, range, isCut: isCut, events: &events)
            if !isCut { self.comment = view.array }
            return .incomplete
        }
        guard view.matches("\u{5}vorbis") else {
            return view[0] & 1 == 1 ? .incomplete : .refused("A Vorbis stream has no setup header")
        }
        guard let modes = VorbisSetup(view, channelCount: identification.channelCount) else {
            return .refused("The setup header of a Vorbis stream cannot be read")
        }
        self.setup = (modes, view.array)
        return .complete
    }

    private mutating func takeFLAC(
        _ view: ByteView,
        _ range: Range<Int64>,
        isCut: Bool,
        events: inout [AudioStreamEvent]
    ) -> Outcome {
        guard view[0] != 0xFF else { return .completeBefore }
        switch view[0] & 0x7F {
        case 4 where view.count >= 4:
            self.readComment(view, 4, range, isCut: isCut, events: &events)
        case 6 where view.count >= 4:
            self.tagByteCount += isCut ? 0 : view.count
            if isCut {
                events.append(.trouble(AudioStreamFailure(.tooLarge, range)))
            } else if let picture = AudioPicture(flacBlock: view[4..<view.count]) {
                if self.tags == nil { self.tags = AudioTags(kind: .vorbisComment, range: range) }
                self.tags?.pictures.append(picture)
            } else {
                events.append(.trouble(AudioStreamFailure(.badTag, range)))
            }
        default:
            break
        }
        return view[0] & 0x80 == 0 ? .incomplete : .complete
    }

    private mutating func readComment(
        _ view: ByteView,
        _ start: Int,
        _ range: Range<Int64>,
        isCut: Bool,
        events: inout [AudioStreamEvent]
    ) {
        guard !isCut else {
            events.append(.trouble(AudioStreamFailure(.tooLarge, range)))
            return
        }
        self.tagByteCount += view.count
        guard var tags = AudioTags.vorbisComment(view[start..<view.count], range: range) else {
            events.append(.trouble(AudioStreamFailure(.badTag, range)))
            return
        }
        tags.pictures.append(contentsOf: self.tags?.pictures ?? [])
        self.tags = tags
    }

    // MARK: Contents

    /// How packets and granule positions relate to time; `nil` while unknown.
    var timing: OggTiming? {
        switch self.identification {
        case .vorbis(let identification):
            guard let setup = self.setup else { return nil }
            return .vorbis(VorbisBlocks(identification: identification, setup: setup.modes))
        case .opus(let head):
            return .opus(preSkip: Int64(head.preSkip))
        case .flac:
            return .flac
        }
    }

    /// The format that the headers describe.
    ///
    /// - Parameter section: the number of the section.
    /// - Returns: a format without the facts that only audio pages show.
    func format(section: Int) -> AudioFormat {
        var format: AudioFormat
        switch self.identification {
        case .vorbis(let identification):
            format = AudioFormat(
                container: .ogg,
                codec: .vorbis,
                sampleRate: identification.sampleRate,
                channelCount: identification.channelCount
            )
            // The application defines the meaning of more than eight channels (Vorbis I §4.3.9).
            if identification.channelCount <= 8 {
                format.channelLayout = .standard(identification.channelCount)
            }
            format.configuration = self.lacedHeaders
            format.bitRate = identification.nominalBitRate.map { AudioBitRate($0, .nominal) }
            format.trim = AudioTrim(leading: 0, trailing: nil)
        case .opus(let head):
            format = AudioFormat(
                container: .ogg,
                codec: .opus,
                sampleRate: 48_000,
                channelCount: head.channelCount
            )
            format.channelLayout = head.channelLayout
            format.configuration = self.first
            format.outputGain = head.outputGain
            format.trim = AudioTrim(leading: SampleCount(Int64(head.preSkip)), trailing: nil)
        case .flac(let info):
            format = AudioFormat(
                container: .ogg,
                codec: .flac,
                sampleRate: info.sampleRate,
                channelCount: info.channelCount
            )
            format.channelLayout =
                self.tags?.channelLayout(of: info.channelCount) ?? .standard(info.channelCount)
            format.bitsPerSample = info.bitsPerSample
            format.configuration = info.bytes
            format.samplesPerPacket = info.isFixedBlockSize ? info.maximumBlockSize : nil
            format.duration = info.totalSamples.map { AudioDuration(SampleCount($0), .declared) }
            format.trim = AudioTrim(leading: 0, trailing: nil)
        }
        format.section = section
        return format
    }

    /// The header packets of Vorbis as Matroska laces them.
    ///
    /// The parts are: a byte 2; the sizes of the first two packets, as runs of 255; the three
    /// packets.
    ///
    /// An empty comment header replaces a missing one.
    private var lacedHeaders: [UInt8] {
        let comment =
            self.comment
            ?? [3, 0x76, 0x6F, 0x72, 0x62, 0x69, 0x73, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        var laced: [UInt8] = [2]
        for count in [self.first.count, comment.count] {
            laced.append(contentsOf: repeatElement(255, count: count / 255))
            laced.append(UInt8(count % 255))
        }
        laced.append(contentsOf: self.first)
        laced.append(contentsOf: comment)
        laced.append(contentsOf: self.setup?.bytes ?? [])
        return laced
    }
}
