// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
import CWeirLibrary
import WeirPlayback

/// The system's libavcodec.
///
/// Weir loads the library at its first use, so a program also starts without the library.
struct LibavLibrary {
    /// The loaded library, the same for the whole process.
    static let system = LibavLibrary(weir_av_load().pointee)

    /// Why the library cannot decode; `nil` when it is ready.
    let problem: AudioError?

    init(_ library: weir_av_library) {
        self.problem = Self.problem(
            library.report.state,
            detail: withUnsafeBytes(of: library.report.detail) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            },
            major: Int(library.major)
        )
    }

    /// The error for a state.
    ///
    /// - Parameters:
    ///   - state: the library's state.
    ///   - detail: the loader's message, the missing function, the version found, or empty.
    ///   - major: the number in the name of the installed library, or 0; Debian's packages use the
    ///     same number.
    /// - Returns: `nil` when the library is ready.
    static func problem(_ state: weir_library_state, detail: String, major: Int) -> AudioError? {
        if state == WEIR_LIBRARY_READY { return nil }
        let words = detail.isEmpty ? "" : " (\(detail))"
        guard major != 0 else {
            return AudioError(
                .unavailable,
                "No libavcodec, which decodes the sound, was found; install libavcodec61 (Debian 13), libavcodec60"
                    + " (Ubuntu 24.04), libavcodec59 (Debian 12) or libavcodec-free (Fedora)."
            )
        }
        let soname = "libavcodec.so.\(major)"
        guard Self.known.contains(major) else {
            return AudioError(
                .unavailable,
                "\(soname) is installed but cannot decode the sound\(words); install one of"
                    + " libavcodec\(Self.known.lowerBound) to libavcodec\(Self.known.upperBound), or another version of"
                    + " Weir."
            )
        }
        let problem = state == WEIR_LIBRARY_NOT_FOUND ? "could not be loaded" : "is not compatible"
        return AudioError(
            .unavailable,
            "\(soname), which decodes the sound, \(problem)\(words); install libavcodec\(major) and libavutil\(major - 2)"
                + " of this system (Debian, Ubuntu), or libavcodec-free (Fedora)."
        )
    }

    /// The major versions that can be loaded.
    private static let known = WEIR_AV_OLDEST...WEIR_AV_NEWEST
}
#endif
