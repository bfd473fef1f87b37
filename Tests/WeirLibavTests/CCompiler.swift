// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// The C compiler of the Swift toolchain, for sources that a test writes.
struct CCompiler {
    /// The folder with the declarations of the C layer.
    static let declarations = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources/CWeirLibav"
        )
        .path

    /// Whether there is a compiler that finds a header.
    static func finds(_ header: String) -> Bool {
        (try? Self.complaints("#include <\(header)>\n", "-fsyntax-only"))?.isEmpty == true
    }

    /// The compiler's output for a source text; empty if it compiles.
    static func complaints(_ text: String, _ options: String...) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID()).c")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["clang", "-std=c11"] + options + [file.path]
        process.standardError = pipe
        try process.run()
        let words = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0
            ? "" : "failed: " + String(decoding: words, as: UTF8.self)
    }
}
#endif
