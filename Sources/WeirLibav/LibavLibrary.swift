// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
import CWeirLibrary
import WeirPlayback

/// The system's libavcodec, which is loaded when it is first needed: a program starts without it.
struct LibavLibrary {
    /// What is loaded: the same for the whole process.
    static let system = LibavLibrary(weir_av_load().pointee)

    /// Why nothing can be decoded with it; `nil` where it is ready.
    let problem: AudioError?

    init(_ library: weir_av_library) {
        self.problem = Self.problem(
            library.report.state,
            detail: withUnsafeBytes(of: library.report.detail) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            },
            soname: String(cString: library.soname),
            major: Int(library.major)
        )
    }

    /// The sentence for a state.
    ///
    /// - Parameters:
    ///   - state: of the library.
    ///   - detail: the loader's own words, the reason of a refusal, or empty.
    ///   - soname: what was looked for.
    ///   - major: the number in it; Debian's packages have it in their name.
    /// - Returns: `nil` where the library is ready.
    static func problem(
        _ state: weir_library_state,
        detail: String,
        soname: String,
        major: Int
    ) -> AudioError? {
        let words = detail.isEmpty ? "" : " (\(detail))"
        switch state {
        case WEIR_LIBRARY_READY: return nil
        case WEIR_LIBRARY_NOT_BUILT_IN:
            return AudioError(
                .unavailable,
                "This program was built where the headers of FFmpeg 5.1 or newer were not found\(words), so it decodes"
                    + " uncompressed sound only; install libavcodec-dev (Debian, Ubuntu) or ffmpeg-free-devel (Fedora),"
                    + " touch CWeirLibav/libav.c and build it again."
            )
        case WEIR_LIBRARY_NOT_FOUND:
            return AudioError(
                .unavailable,
                "\(soname), which decodes the sound, could not be loaded\(words); install libavcodec\(major) (Debian,"
                    + " Ubuntu) or libavcodec-free (Fedora)."
            )
        default:
            return AudioError(
                .unavailable,
                "\(soname) is not the library that this program was built for\(words); install libavcodec\(major) of"
                    + " this system, or build the program here."
            )
        }
    }
}
#endif
