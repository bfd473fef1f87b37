// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A user and a password")
struct PasswordAuthorizerTests {
    private let url: OriginURL

    init() throws {
        self.url = try OriginURL("https://dav.test/Music/a%20b.mp3?x=1")
    }

    private func authorizer(_ scheme: PasswordAuthorizer.Scheme = .any) -> PasswordAuthorizer {
        PasswordAuthorizer(user: "me", password: "s3cret", scheme: scheme, makeNonce: { "c0ffee" })
    }

    private func challenge(_ nonce: String, _ more: String = "") -> [String] {
        ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"\(nonce)\", qop=auth\(more)"]
    }

    private func fields(_ authorization: String?) -> [String: String] {
        AuthenticationChallenge.all(in: authorization ?? "").first?.parameters ?? [:]
    }

    @Test("are sent as Basic first, and as Digest once the server requests it")
    func startsWithBasic() async throws {
        let authorizer = self.authorizer()
        let first = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(first == "Basic bWU6czNjcmV0")
        #expect(try await authorizer.refused(first, challenges: self.challenge("n1")))
        let second = try await authorizer.authorization(method: "PROPFIND", url: self.url)
        #expect(second?.hasPrefix("Digest ") == true && second?.contains("s3cret") == false)
        #expect(self.fields(second)["uri"] == "/Music/a%20b.mp3?x=1")
        #expect(self.fields(second)["cnonce"] == "c0ffee")
        // RFC 7616 §3.4.1, computed with md5sum:
        // MD5(MD5("me:r:s3cret"):n1:00000001:c0ffee:auth:MD5("PROPFIND:/Music/a%20b.mp3?x=1"))
        #expect(self.fields(second)["response"] == "24ccaccbebdbeeac061514e3a2ef330b")
        #expect(self.fields(second)["nc"] == "00000001" && self.fields(second)["nonce"] == "n1")
    }

    @Test("are counted with each request, and start at one again with each nonce")
    func counts() async throws {
        let authorizer = self.authorizer()
        _ = try await authorizer.refused(nil, challenges: self.challenge("n1"))
        for count in ["00000001", "00000002", "00000003"] {
            let sent = try await authorizer.authorization(method: "GET", url: self.url)
            #expect(self.fields(sent)["nc"] == count)
        }
        let sent = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(
            try await authorizer.refused(sent, challenges: self.challenge("n2", ", stale=true"))
        )
        let next = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(self.fields(next)["nc"] == "00000001" && self.fields(next)["nonce"] == "n2")
    }

    @Test("are not sent a second time after a refusal")
    func isNotRepeated() async throws {
        let authorizer = self.authorizer()
        let basic = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(try await !authorizer.refused(basic, challenges: ["Basic realm=\"r\""]))
        #expect(try await authorizer.refused(basic, challenges: self.challenge("n1")))
        let digest = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(try await !authorizer.refused(digest, challenges: self.challenge("n2")))
        #expect(try await !authorizer.refused(digest, challenges: []))
    }

    @Test("are sent again for an expired nonce, whether the server says so or not")
    func survivesOldNonce() async throws {
        let authorizer = self.authorizer()
        _ = try await authorizer.refused(nil, challenges: self.challenge("n1"))
        let first = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(
            try await authorizer.refused(first, challenges: self.challenge("n2", ", stale=true"))
        )
        _ = try await authorizer.authorization(method: "GET", url: self.url)
        let third = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(try await authorizer.refused(third, challenges: self.challenge("n3")))
        let fourth = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(self.fields(fourth)["nonce"] == "n3")
    }

    @Test("are sent again with the nonce of another request, if the old one was refused")
    func sharesChallenges() async throws {
        let authorizer = self.authorizer()
        _ = try await authorizer.refused(nil, challenges: self.challenge("n1"))
        let one = try await authorizer.authorization(method: "GET", url: self.url)
        let two = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(try await authorizer.refused(one, challenges: self.challenge("n2", ", stale=true")))
        #expect(try await authorizer.refused(two, challenges: self.challenge("n3", ", stale=true")))
        let three = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(self.fields(three)["nonce"] == "n2")
    }

    @Test("never leave the machine as Basic if only Digest is allowed, and the reverse")
    func keepsToScheme() async throws {
        let digest = self.authorizer(.digest)
        #expect(try await digest.authorization(method: "GET", url: self.url) == nil)
        #expect(try await !digest.refused(nil, challenges: ["Basic realm=\"r\""]))
        #expect(try await digest.authorization(method: "GET", url: self.url) == nil)
        #expect(try await digest.refused(nil, challenges: self.challenge("n")))
        let basic = self.authorizer(.basic)
        #expect(try await !basic.refused(nil, challenges: self.challenge("n")))
        let sent = try await basic.authorization(method: "GET", url: self.url)
        #expect(sent?.hasPrefix("Basic ") == true)
    }

    @Test("keep one client nonce for a challenge, as a session requires")
    func keepsClientNonce() async throws {
        let made = Watched(0)
        let authorizer = PasswordAuthorizer(user: "me", password: "pw") {
            made.update { count in
                count += 1
                return "c\(count)"
            }
        }
        let session = ["Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=MD5-sess"]
        _ = try await authorizer.refused(nil, challenges: session)
        let one = try await authorizer.authorization(method: "GET", url: self.url)
        let two = try await authorizer.authorization(method: "GET", url: self.url)
        #expect(self.fields(one)["cnonce"] == self.fields(two)["cnonce"])
        #expect(self.fields(one)["response"] != self.fields(two)["response"])
    }

    @Test("come from an address's user, with random nonces")
    func isMadeOfAddress() async throws {
        let info = try #require(try OriginURL("https://me:s%33cret@dav.test/").userInfo)
        let sent = try await PasswordAuthorizer(info).authorization(method: "GET", url: self.url)
        #expect(sent == "Basic bWU6czNjcmV0")
        let random = PasswordAuthorizer(user: "me", password: "pw", scheme: .digest)
        _ = try await random.refused(nil, challenges: self.challenge("n"))
        let digest = try await random.authorization(method: "GET", url: self.url)
        #expect(self.fields(digest)["cnonce"]?.count == 16)
    }
}
