// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirALSA

/// ALSA's own messages about its errors.
///
/// ALSA would write them to the standard error; they are kept for our messages instead. All uses are in this file:
/// each file has a copy of its own of what the header defines.
enum ALSAWords {
    private static let quiet: Void = weir_alsa_be_quiet()

    /// Begins to listen on this thread.
    static func listen() {
        _ = Self.quiet
        weir_alsa_words()?.pointee = 0
    }

    /// The words for a status, and the last message on this thread, if there was one.
    static func words(_ status: CInt) -> String {
        let meaning = snd_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        guard let words = weir_alsa_words(), words.pointee != 0 else { return meaning }
        let message = String(cString: words).split(whereSeparator: \.isNewline).first ?? ""
        return "\(meaning) (\(message))"
    }
}
#endif
