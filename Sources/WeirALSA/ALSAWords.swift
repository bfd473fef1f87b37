// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirALSA

/// What ALSA says of its errors.
///
/// It would write to the standard error; it is kept for the messages of ours instead. All uses are in this file: what
/// the header defines has one copy for each.
enum ALSAWords {
    private static let quiet: Void = weir_alsa_be_quiet()

    /// Begins to listen on this thread.
    static func listen() {
        _ = Self.quiet
        weir_alsa_words()?.pointee = 0
    }

    /// The words for a status, and what was said last on this thread, if anything was.
    static func words(_ status: CInt) -> String {
        let meaning = snd_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        guard let words = weir_alsa_words(), words.pointee != 0 else { return meaning }
        let said = String(cString: words).split(whereSeparator: \.isNewline).first ?? ""
        return "\(meaning) (\(said))"
    }
}
#endif
