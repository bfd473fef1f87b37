// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import CWeirLibrary
import WeirPlayback

/// The system's libasound, which is loaded when a device is first opened: a program starts without it.
enum ALSALibrary {
    /// Why no device can be opened; `nil` where the library is ready.
    static let problem: AudioError? = {
        let report = weir_alsa_load().pointee
        let detail = withUnsafeBytes(of: report.detail) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Self.problem(report.state, detail: detail)
    }()

    /// The sentence for a state; `detail` has the loader's own words, the reason of a refusal, or nothing.
    static func problem(_ state: weir_library_state, detail: String) -> AudioError? {
        let words = detail.isEmpty ? "" : " (\(detail))"
        switch state {
        case WEIR_LIBRARY_READY: return nil
        case WEIR_LIBRARY_NOT_FOUND:
            return AudioError(
                .unavailable,
                "libasound.so.2, which gives the sound to the device, could not be loaded\(words); install libasound2"
                    + " (Debian), libasound2t64 (Ubuntu from 24.04 on) or alsa-lib (Fedora)."
            )
        default:
            return AudioError(
                .unavailable,
                "libasound.so.2, which gives the sound to the device, does not fit\(words); install libasound2 (Debian),"
                    + " libasound2t64 (Ubuntu from 24.04 on) or alsa-lib (Fedora) of this system."
            )
        }
    }

    /// Begins to listen on this thread to what the library says of its errors.
    ///
    /// It would write that to the standard error; it is kept for our messages instead.
    static func listen() {
        weir_alsa_message()?.pointee = 0
    }

    /// The words for a status, and the last message on this thread, if there was one.
    static func words(_ status: CInt) -> String {
        let meaning = weir_alsa_meaning(status).map { String(cString: $0) } ?? "error \(status)"
        guard let words = weir_alsa_message(), words.pointee != 0 else { return meaning }
        let message = String(cString: words).split(whereSeparator: \.isNewline).first ?? ""
        return "\(meaning) (\(message))"
    }
}
#endif
