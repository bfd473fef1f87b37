// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out what a stream is: by its bytes first, then by its media type, then by its extension.
///
/// The bytes are looked at where their number reaches one of a few steps, or at the end of the stream; so the answer
/// does not depend on how they were cut. ID3v2 tags in front are looked over, nothing is taken.
///
/// 1. What stands at the front: `OggS`, `fLaC`, `RIFF…WAVE`, boxes of MP4; `#EXTM3U`, `[playlist]`, `<asx`; HTML, XML,
///    JSON, text. A signature of a format that is not read here makes the stream ``Sniffing/unknown``, whatever the hint
///    and the bytes behind it.
/// 2. Frames of MPEG audio, ADTS or LOAS: three in a row that agree, or all that there are up to the end. The first may
///    lie behind up to 16 KiB of garbage, behind up to 64 KiB if the hint says that it is MPEG audio or ADTS; then they
///    have to follow each other up to the last byte that is looked at, or twelve of them.
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
        /// OPML, SMIL, WPL or the like.
        case foreignList = "a list of a kind that Weir does not read"
        /// Any other text.
        case text = "plain text"

        /// What it is, with an article.
        public var description: String { self.rawValue }

        /// What may help, as the end of a sentence.
        package var advice: String {
            self == .foreignList
                ? "play an address that it names"
                : "its address may need a log-in, or name a page instead of a file"
        }
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
