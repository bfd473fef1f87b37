// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirURLSession

@Suite("A request's target", .timeLimit(.minutes(1)))
struct ExactURLTests {
    @Test("arrives unchanged, byte for byte")
    func arrives() async throws {
        let targets = [
            "/a%2Fb", "/%7E~", "//a//b", "/%C3%BC%e2%82%ac", "/a?", "/a;p=1", "/a+b", "/?a=b?c=d/e",
            "/:@!$&'()*+,;=~", "/x?sig=a%2Bb==", "/x?a=%20+", "/...", "/..a/b", "/x?a/../b", "//",
            "/?", "/a:b//c", "/a%5B1%5D%7C",
        ]
        let file = PatternFile()
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            for target in targets {
                _ = try await rig.origin(target).describe()
                let request = try #require(rig.server.state.value.requests.last)
                #expect(request.target == target)
                #expect(request.headers["host"] == "127.0.0.1:\(rig.server.port)")
                #expect(request.headers["user-agent"] == HTTPOrigin.userAgent)
                #expect(request.headers["accept-encoding"] == "identity")
                #expect(request.headers["range"] == "bytes=0-511")
            }
        }
    }

    @Test(
        "that URLSession would change is refused, and nothing is sent",
        arguments: [
            "/a[1]", "/x?x=[1]", "/x?]", "/100%.mp3", "/%zz", "/x?%", "/x?%4", "/a/./b", "/a/../b",
            "/a/..", "/.", "/..", "/a/%2e%2E/b", "/a/.%2e", "/%2E",
        ]
    )
    func isRefused(_ target: String) async throws {
        let file = PatternFile()
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            let secret = target.contains("?") ? "\(target)&sig=token" : "\(target)?sig=token"
            let error = await failure(SourceError.self) {
                _ = try await rig.origin(secret).describe()
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("URLSession") == true)
            #expect(error.map { "\($0)" }?.contains("token") == false)
            #expect(rig.server.state.value.opened == 0)
        }
    }

    @Test("keeps an IPv6 host and the port")
    func keepsHost() throws {
        for text in ["http://[::1]:8080/a", "https://media.test/a?b", "http://media.test:81/"] {
            #expect(try URL(exactly: OriginURL(text))?.absoluteString == text)
        }
        let secret = try OriginURL("http://me:pass@media.test/a")
        #expect(URL(exactly: secret)?.absoluteString == "http://media.test/a")
    }
}
