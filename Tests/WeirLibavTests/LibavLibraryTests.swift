// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibrary
import Testing
import WeirPlayback

@testable import WeirLibav

@Suite struct LibavLibraryTests {
    private func problem(_ state: weir_library_state, _ detail: String = "") -> AudioError? {
        LibavLibrary.problem(state, detail: detail, soname: "libavcodec.so.61", major: 61)
    }

    @Test("the library of this machine is ready")
    func ready() {
        #expect(LibavLibrary.system.problem == nil)
        #expect(self.problem(WEIR_LIBRARY_READY) == nil)
    }

    @Test("without headers the sentence names what to install and what to build again")
    func notBuiltIn() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_NOT_BUILT_IN))
        #expect(error.code == .unavailable)
        #expect(error.message.contains("libavcodec-dev (Debian, Ubuntu)"))
        #expect(error.message.contains("build it again"))
    }

    @Test("a library that is not found is named with its package, by the number of its soname")
    func notFound() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_NOT_FOUND, "no such file"))
        #expect(error.code == .unavailable)
        #expect(error.message.hasPrefix("libavcodec.so.61, "))
        #expect(error.message.contains("(no such file); install libavcodec61 (Debian, Ubuntu)"))
    }

    @Test("a library that does not fit is refused with the reason")
    func unfit() throws {
        let error = try #require(self.problem(WEIR_LIBRARY_UNFIT, "it has no function f"))
        #expect(error.code == .unavailable)
        #expect(error.message.contains("is not the library that this program was built for"))
        #expect(error.message.contains("(it has no function f)"))
    }

    @Test("what is no library of the system is not found, with the loader's words")
    func unknownLibrary() {
        var report = weir_library_report()
        #expect(weir_library_load("libweir-none.so.1", &report) == nil)
        #expect(report.state == WEIR_LIBRARY_NOT_FOUND)
        #expect(report.detail.0 != 0)
    }

    @Test("a function that a library does not have makes it unfit")
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
