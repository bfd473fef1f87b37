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
    /// Every call starts anew: whoever asks after each of many small chunks keeps a ``Sniffer``.
    static func guess(_ window: inout ByteWindow, hint: AudioTypeHint) -> Sniffing {
        var sniffer = Sniffer(hint: hint)
        return sniffer.guess(&window)
    }

    /// What something is called that is no stream for Weir, where its first bytes tell.
    ///
    /// - Parameter window: of which ``Sniffing/unknown`` was said.
    /// - Returns: a name as "Matroska or WebM", or "a ZIP archive".
    static func foreignName(_ window: inout ByteWindow) -> String? {
        ForeignMark.name(window.peek(upTo: ForeignMark.count))
    }
}
