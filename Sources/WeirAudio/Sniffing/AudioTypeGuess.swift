// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out the format of a stream: by its bytes first, then by its media type, then by its
/// extension.
///
/// The sniffer examines the bytes when their number reaches one of a few steps, or at the end of
/// the stream. The result therefore does not depend on how the bytes were cut. The sniffer skips
/// leading ID3v2 tags, and takes nothing from the window.
///
/// 1. The first bytes: `OggS`, `fLaC`, `RIFF…WAVE`, boxes of MP4; `#EXTM3U`, `[playlist]`, `<asx`;
///    HTML, XML, JSON, text. If they are the signature of a format that Weir does not read, the
///    stream is ``Sniffing/unknown``, whatever the hint and the later bytes are.
/// 2. Frames of MPEG audio, ADTS or LOAS: three in a row that agree, or all frames up to the end.
///    Up to 16 KiB of garbage may precede the first frame, or up to 64 KiB if the hint says MPEG
///    audio or ADTS. After garbage, the frames must continue up to the last examined byte, or there
///    must be twelve of them.
/// 3. A FLAC frame at the front, or an Ogg page anywhere in the examined bytes: a stream that was
///    joined in the middle.
public enum AudioTypeGuess {
    /// Finds out the format of bytes that are all in memory.
    ///
    /// - Parameters:
    ///   - bytes: the first bytes of a stream.
    ///   - isWhole: whether the stream has no more bytes.
    ///   - hint: the facts that the origin states.
    /// - Returns: the result; ``Sniffing/needsMore`` only if the bytes are not the whole stream.
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

    /// Finds out the format at the front of a window.
    ///
    /// Every call starts from the beginning. If bytes arrive in many small chunks, keep a
    /// ``Sniffer`` instead.
    static func guess(_ window: inout ByteWindow, hint: AudioTypeHint) -> Sniffing {
        var sniffer = Sniffer(hint: hint)
        return sniffer.guess(&window)
    }
}

/// The format of a stream by its first bytes.
public enum Sniffing: Hashable, Sendable {
    /// A text that is not audio, as servers send it in place of the requested resource.
    public enum Page: String, Hashable, Sendable, CustomStringConvertible {
        /// HTML.
        case html = "an HTML page"
        /// XML that is not a playlist.
        case xml = "an XML document"
        /// JSON.
        case json = "a JSON document"
        /// OPML, SMIL, WPL or the like.
        case foreignList = "a list in a format that Weir cannot read"
        /// Any other text.
        case text = "plain text"

        /// The page's kind, with an article.
        public var description: String { self.rawValue }

        /// A suggestion, as the end of a sentence.
        package var advice: String {
            self == .foreignList
                ? "play an address from it"
                : "its address may need a log-in, or name a page instead of a file"
        }
    }

    /// The format of a stream, and how many frames in a row agreed about it.
    ///
    /// The number is 0 if only the hint or a tag decided. It is 1 if the first bytes identify the
    /// format without frames in a row.
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
