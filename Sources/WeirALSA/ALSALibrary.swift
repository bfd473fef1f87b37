// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import CWeirLibrary
import WeirPlayback

/// The system's libasound.
///
/// Weir loads the library when it first opens or lists devices, so a program also starts on a system without it.
enum ALSALibrary {
    /// Why no device can be opened; `nil` when the library is ready.
    static let problem: AudioError? = {
        let report = weir_alsa_load().pointee
        let detail = withUnsafeBytes(of: report.detail) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Self.problem(report.state, detail: detail)
    }()

    /// The error for a state; `detail` is the loader's message, the missing function, the version found, or empty.
    static func problem(_ state: weir_library_state, detail: String) -> AudioError? {
        let words = detail.isEmpty ? "" : " (\(detail))"
        switch state {
        case WEIR_LIBRARY_READY: return nil
        case WEIR_LIBRARY_NOT_FOUND:
            return AudioError(
                .unavailable,
                "libasound.so.2, which plays sound on the device, could not be loaded\(words); install libasound2"
                    + " (Debian), libasound2t64 (Ubuntu from 24.04 on) or alsa-lib (Fedora)."
            )
        default:
            return AudioError(
                .unavailable,
                "libasound.so.2, which plays sound on the device, is not compatible\(words); install this system's"
                    + " libasound2 (Debian), libasound2t64 (Ubuntu from 24.04 on) or alsa-lib (Fedora)."
            )
        }
    }

    /// Clears the library's last message on this thread, so that a later message belongs to a later call.
    ///
    /// The library would write its messages to the standard error. Weir keeps them for its own errors instead.
    static func listen() {
        weir_alsa_message()?.pointee = 0
    }

    /// The meaning of a status, and the last message on this thread, if there is one.
    static func words(_ status: CInt) -> String {
        let meaning = weir_alsa_meaning(status).map { String(cString: $0) } ?? "error \(status)"
        guard let words = weir_alsa_message(), words.pointee != 0 else { return meaning }
        let message = String(cString: words).split(whereSeparator: \.isNewline).first ?? ""
        return "\(meaning) (\(message))"
    }
}
#endif
