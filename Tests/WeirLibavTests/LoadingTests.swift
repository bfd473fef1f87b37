// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
import CWeirLibrary
import Foundation
import Testing
import WeirPlayback

@testable import WeirLibav

/// The choice of a library among several, and the report about it; each test makes its own libraries.
@Suite(.enabled(if: CCompiler.finds("stddef.h"), "there is no compiler of C"))
final class LoadingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// Makes a library with every function that declares the given versions.
    private func make(
        _ major: Int,
        minor: Int = 100,
        utility: Int,
        without missing: String = ""
    ) throws {
        let text = """
            #include "calls.h"
            #define DEFINE(result, name, parameters) void *name(void) { return 0; }
            #define avcodec_version unused_avcodec_version
            #define avutil_version unused_avutil_version
            #define \(missing.isEmpty ? "unused" : missing) unused_\(missing)
            WEIR_AV_CALLS(DEFINE)
            #undef avcodec_version
            #undef avutil_version
            unsigned avcodec_version(void) { return \(major) << 16 | \(minor) << 8; }
            unsigned avutil_version(void) { return \(utility) << 16; }
            """
        let complaints = try CCompiler.complaints(
            text,
            "-w",
            "-shared",
            "-fPIC",
            "-I\(CCompiler.declarations)",
            "-o",
            self.folder.appending(path: "libavcodec.so.\(major)").path
        )
        #expect(complaints == "")
    }

    private var found: (state: weir_library_state, major: Int, message: String) {
        let library = weir_av_try(self.folder.appending(path: "libavcodec.so.").path)
        let message = LibavLibrary(library).problem?.message ?? ""
        return (library.report.state, Int(library.major), message)
    }

    @Test("the newest known library is used")
    func newest() throws {
        try self.make(59, utility: 57)
        try self.make(61, utility: 59)
        try self.make(64, utility: 62)
        #expect(self.found.state == WEIR_LIBRARY_READY)
        #expect(self.found.major == 61)
    }

    @Test("an older library is used where a newer one does not fit")
    func fallsBack() throws {
        try self.make(60, utility: 58)
        try self.make(61, utility: 58)
        try self.make(62, utility: 60, without: "avcodec_open2")
        try Data("no library".utf8).write(to: self.folder.appending(path: "libavcodec.so.63"))
        #expect(self.found.state == WEIR_LIBRARY_READY)
        #expect(self.found.major == 60)
    }

    @Test("without any library nothing is ready, and packages are named")
    func none() {
        #expect(self.found.state == WEIR_LIBRARY_NOT_FOUND)
        #expect(self.found.major == 0)
        #expect(self.found.message.contains("install libavcodec61 (Debian 13)"))
    }

    @Test("a library with the libavutil of another release is refused")
    func wrongUtility() throws {
        try self.make(61, utility: 58)
        #expect(self.found.state == WEIR_LIBRARY_UNFIT)
        #expect(self.found.message.contains("it uses libavutil 58, and libavutil 59 belongs to it"))
        #expect(self.found.message.contains("install libavcodec61 and libavutil59"))
    }

    @Test("a library that lacks a function is refused with its name")
    func missingFunction() throws {
        try self.make(62, utility: 60, without: "av_opt_get_chlayout")
        #expect(self.found.state == WEIR_LIBRARY_UNFIT)
        #expect(self.found.message.contains("it has no function av_opt_get_chlayout"))
    }

    @Test("a library that is older than FFmpeg 5.1 is refused")
    func tooOld() throws {
        try self.make(59, minor: 18, utility: 57)
        #expect(
            self.found.message.contains("its version is 59.18, and 59.37 (FFmpeg 5.1) or newer")
        )
    }

    @Test(
        "a library of an unknown version is refused, and the known ones are named",
        arguments: [58, 64]
    )
    func unknownVersion(major: Int) throws {
        try self.make(major, utility: major - 2)
        #expect(self.found.state == WEIR_LIBRARY_UNFIT)
        #expect(self.found.major == major)
        #expect(self.found.message.contains("(Weir knows versions 59 to 63)"))
    }

    @Test("a file that is not a library cannot be loaded, and the loader's message says so")
    func noLibrary() throws {
        try Data("no library".utf8).write(to: self.folder.appending(path: "libavcodec.so.61"))
        #expect(self.found.state == WEIR_LIBRARY_NOT_FOUND)
        #expect(self.found.message.contains("could not be loaded"))
        #expect(self.found.message.contains("file too short") || self.found.message.contains("ELF"))
    }
}
#endif
