// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibrary
import Testing
import WeirPlayback

@testable import WeirALSA

@Suite struct ALSALibraryTests {
    @Test("the library of this machine is ready")
    func ready() {
        #expect(ALSALibrary.problem == nil)
        #expect(ALSALibrary.problem(WEIR_LIBRARY_READY, detail: "") == nil)
    }

    @Test(
        "each state of the library has a sentence that says what to install",
        arguments: [
            (WEIR_LIBRARY_NOT_FOUND, "(why); install libasound2 (Debian)"),
            (WEIR_LIBRARY_UNFIT, "is not compatible (why); install this system's libasound2"),
        ]
    )
    func sentences(_ state: weir_library_state, _ words: String) throws {
        let error = try #require(ALSALibrary.problem(state, detail: "why"))
        #expect(error.code == .unavailable)
        #expect(error.message.contains(words))
    }
}
#endif
