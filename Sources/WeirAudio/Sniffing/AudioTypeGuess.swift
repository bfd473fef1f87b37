// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out what a stream is: by its bytes first, then by its media type, then by its extension.
///
/// The bytes are looked at where their number reaches one of a few steps, or at the end of the stream; so the answer
/// does not depend on how they were cut. ID3v2 tags in front are looked over, nothing is taken.
///
/// 1. What stands at the front: `OggS`, `fLaC`, `RIFF…WAVE`, boxes of MP4; `#EXTM3U`, `[playlist]`, `<asx`; HTML, XML,
///    JSON, text.
/// 2. Frames of MPEG audio, ADTS or LOAS: three in a row that agree, or all that there are up to the end. The first may
///    lie behind up to 16 KiB of garbage; behind up to 64 KiB if the hint says that it is MPEG audio or ADTS.
/// 3. A page of Ogg behind as much garbage: a stream that was joined.
/// 4. The hint.
public enum AudioTypeGuess {
    /// Finds out what bytes are that are all here.
    ///
    /// - Parameters:
    ///   - bytes: the first of a stream.
    ///   - isWhole: whether the stream has no more.
    ///   - hint: what its origin says.
    /// - Returns: what it is; ``Sniffing/needsMore`` only if it is not whole.
    public static func guess(
        _ bytes: ByteMemory,
        isWhole: Bool,
        hint: AudioTypeHint = AudioTypeHint()
    ) -> Sniffing {
        var window = ByteWindow()
        window.push(bytes)
        if isWhole { window.finish() }
        return Self.guess(&window, hint: hint)
    }

    /// Finds out what is at the front of a window.
    ///
    /// Every call starts anew: a caller that asks after each of many small chunks keeps a ``Sniffer``.
    static func guess(_ window: inout ByteWindow, hint: AudioTypeHint) -> Sniffing {
        var sniffer = Sniffer(hint: hint)
        return sniffer.guess(&window)
    }
}

/// The format of a stream by its first bytes.
public enum Sniffing: Hashable, Sendable {
    /// A text that is no audio, as servers send it in place of what was asked for.
    public enum Page: String, Hashable, Sendable, CustomStringConvertible {
        /// HTML.
        case html = "an HTML page"
        /// XML that is no playlist.
        case xml = "an XML document"
        /// JSON.
        case json = "a JSON document"
        /// Any other text.
        case text = "plain text"

        /// What it is, with an article.
        public var description: String { self.rawValue }
    }

    /// A stream, and how many frames in a row agreed about it; 0 where only the hint says so, 1 where the first
    /// bytes are of no other format.
    case container(AudioContainer, agreeingFrames: Int)
    /// A page.
    case page(Page)
    /// A playlist.
    case playlist(Playlist.Kind)
    /// No known format.
    case unknown
    /// More bytes are needed; never at the end of the stream.
    case needsMore
}

/// Formats that are known by their first bytes and not read here; an error names them to the user.
extension AudioTypeGuess {
    /// How many bytes tell an MPEG transport stream.
    private static let foreignCount = 2 * 188 + 1

    private static let foreignMarks: [(mark: [UInt8], offset: Int, name: String)] = [
        ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], 0, "Windows Media (ASF)"),
        ([0x1A, 0x45, 0xDF, 0xA3], 0, "Matroska or WebM"),
        (Array("AIFF".utf8), 8, "AIFF"), (Array("AIFC".utf8), 8, "AIFF-C"),
        (Array("AVI ".utf8), 8, "AVI"), (Array("WEBP".utf8), 8, "a WebP picture"),
        (Array("caff".utf8), 0, "Core Audio Format"), (Array("wvpk".utf8), 0, "WavPack"),
        (Array("MPCK".utf8), 0, "Musepack"), (Array("MP+".utf8), 0, "Musepack"),
        (Array("MAC ".utf8), 0, "Monkey's Audio"), (Array("TTA1".utf8), 0, "True Audio"),
        (Array("#!AMR".utf8), 0, "AMR"), (Array("MThd".utf8), 0, "MIDI"),
        (Array("FLV\u{1}".utf8), 0, "Flash Video"), (Array(".RMF".utf8), 0, "RealMedia"),
        (Array("DSD ".utf8), 0, "DSD"), ([0x0B, 0x77], 0, "AC-3"),
        ([0x7F, 0xFE, 0x80, 0x01], 0, "DTS"),
        ([0x00, 0x00, 0x01, 0xBA], 0, "an MPEG program stream"),
        ([0x1F, 0x8B, 0x08], 0, "gzip"), (Array("PK\u{3}\u{4}".utf8), 0, "a ZIP archive"),
        (Array("%PDF".utf8), 0, "PDF"), ([0xFF, 0xD8, 0xFF], 0, "a JPEG picture"),
        ([0x89, 0x50, 0x4E, 0x47], 0, "a PNG picture"), (Array("GIF8".utf8), 0, "a GIF picture"),
    ]

    /// The name of a format that Weir does not read, where the first bytes tell it.
    ///
    /// - Parameter window: a stream that ``guess(_:isWhole:hint:)`` finds ``Sniffing/unknown``.
    /// - Returns: a name with an article where it needs one, as "a ZIP archive"; `nil` if it is none of these.
    static func foreignName(_ window: inout ByteWindow) -> String? {
        let view = window.peek(upTo: Self.foreignCount)
        // A packet of an MPEG transport stream starts every 188 bytes (ISO 13818-1 §2.4.3.2).
        if view.count >= Self.foreignCount, [0, 188, 376].allSatisfy({ view[$0] == 0x47 }) {
            return "an MPEG transport stream"
        }
        return Self.foreignMarks.first { mark, offset, _ in
            view.count >= offset + mark.count
                && mark.indices.allSatisfy { view[offset + $0] == mark[$0] }
        }?.name
    }
}
