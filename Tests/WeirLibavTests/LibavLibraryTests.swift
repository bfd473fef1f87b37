// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibrary
import Testing
import WeirPlayback

@testable import WeirLibav

@Suite struct LibavLibraryTests {
    private func problem(
        _ state: weir_library_state,
        _ detail: String = "",
        major: Int = 61
    ) -> AudioError? {
        LibavLibrary.problem(state, detail: detail, major: major)
    }

    @Test("the library of this machine is ready")
    func ready() {
        #expect(LibavLibrary.system.problem == nil)
        #expect(self.problem(WEIR_LIBRARY_READY) == nil)
    }

    @Test("without any library the message names the packages of several systems")
    func none() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_NOT_FOUND, major: 0))
        #expect(error.code == .unavailable)
        #expect(error.message.hasPrefix("No libavcodec"))
        #expect(error.message.contains("libavcodec61 (Debian 13)"))
    }

    @Test("for a missing library the message names its packages, by the number of its soname")
    func notLoaded() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_NOT_FOUND, "no libavutil.so.59"))
        #expect(error.code == .unavailable)
        #expect(error.message.hasPrefix("libavcodec.so.61, "))
        #expect(
            error.message.contains("(no libavutil.so.59); install libavcodec61 and libavutil59")
        )
    }

    @Test("a library that does not fit is refused with the reason")
    func unfit() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_UNFIT, "it has no function f"))
        #expect(error.code == .unavailable)
        #expect(
            error.message.contains("is not compatible (it has no function f); install libavcodec61")
        )
    }

    @Test("a library of an unknown version is refused with the known ones", arguments: [58, 64])
    func unknown(major: Int) throws {
        let error = try #require(self.problem(WEIR_LIBRARY_UNFIT, "why", major: major))
        #expect(error.message.hasPrefix("libavcodec.so.\(major) is installed"))
        #expect(error.message.contains("install one of libavcodec59 to libavcodec63"))
    }

    @Test(
        "a file name that the system does not know is not found, and the loader's message says so"
    )
    func unknownLibrary() {
        var report = weir_library_report()
        #expect(weir_library_load("libweir-none.so.1", &report) == nil)
        #expect(report.state == WEIR_LIBRARY_NOT_FOUND)
        #expect(report.detail.0 != 0)
    }

    @Test("a library that lacks a needed function does not fit")
    func unknownFunction() throws {
        var report = weir_library_report()
        let library = try #require(weir_library_load("libc.so.6", &report))
        #expect(weir_library_symbol(library, "getenv", &report) != nil)
        #expect(report.state == WEIR_LIBRARY_READY)
        #expect(weir_library_symbol(library, "weir_no_such_function", &report) == nil)
        #expect(report.state == WEIR_LIBRARY_UNFIT)
    }
}
#endif
