// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Testing

/// Compares Weir's declarations with ALSA's headers, where these are installed.
@Suite struct DeclarationTests {
    private static let names = [
        "STREAM_PLAYBACK", "NONBLOCK", "NO_AUTO_RESAMPLE", "NO_AUTO_CHANNELS",
        "ACCESS_MMAP_INTERLEAVED",
        "ACCESS_RW_INTERLEAVED", "TYPE_IOPLUG", "FORMAT_S16_LE", "FORMAT_S24_LE", "FORMAT_S32_LE",
        "FORMAT_FLOAT_LE", "FORMAT_S24_3LE", "STATE_PREPARED", "STATE_RUNNING", "STATE_XRUN",
        "STATE_PAUSED",
    ]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources/CWeirALSA"
        )
        .path

    /// The C compiler's output for a source text; empty if it compiles, `nil` without a compiler.
    private static func complaints(_ text: String) -> String? {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID()).c")
        guard (try? Data(text.utf8).write(to: file)) != nil else { return nil }
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["clang", "-std=gnu11", "-fsyntax-only", "-I\(Self.folder)", file.path]
        process.standardError = pipe
        guard (try? process.run()) != nil else { return nil }
        let words = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0
            ? "" : "failed: " + String(decoding: words, as: UTF8.self)
    }

    @Test(
        "functions and numbers equal those of the installed headers",
        .enabled(
            if: complaints("#include <alsa/asoundlib.h>\n") == "",
            "no headers of ALSA are installed"
        )
    )
    func sameAsHeaders() {
        var text = "#include \"calls.h\"\n#include <alsa/asoundlib.h>\n"
        text += "#define SAME(result, name, parameters) \\\n"
        text +=
            "  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);\n"
        text += "WEIR_ALSA_CALLS(SAME)\n"
        for name in Self.names {
            text += "_Static_assert(WEIR_ALSA_\(name) == SND_PCM_\(name), \"\(name)\");\n"
        }
        #expect(Self.complaints(text) == "")
    }
}
#endif
