// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy

@testable import WeirCommand

@Suite("A port that another weir serve uses")
struct OccupiedPortTests {
    private static let secret = ProxySecret()

    @Test("is reported with what to do, and weir open is named only for the user's own server")
    func sentence() {
        let ours = PageAddress(url: "http://127.0.0.1:4747/page/", secret: Self.secret)
        #expect(
            OccupiedPort.sentence(.standard, [ours])
                == "Another weir serve listens on 127.0.0.1:4747 already; look at it with weir open, stop it, or use"
                + " another port for this one, as with --listen 127.0.0.1:0."
        )
        let other = PageAddress(url: "http://127.0.0.1:4748/page/", secret: Self.secret)
        for pages in [[other], []] {
            let sentence = OccupiedPort.sentence(.standard, pages)
            #expect(!sentence.contains("weir open"))
            #expect(sentence.contains("already; stop it, or use another port"))
        }
        let open = OccupiedPort.sentence(ListenAddress(host: "::", port: 80), [])
        #expect(open.contains("on [::1]:80") && open.contains("--listen [::]:0"))
    }

    @Test("is not reported where nothing answers at the port")
    func noProgram() async {
        #expect(
            await OccupiedPort(address: ListenAddress(host: "127.0.0.1", port: 1)).sentence([])
                == nil
        )
    }
}
