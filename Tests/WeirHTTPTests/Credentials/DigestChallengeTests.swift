// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHTTP

@Suite("A digest challenge")
struct DigestChallengeTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    private func challenge(_ algorithm: String, _ more: String = "qop=\"auth, auth-int\"") -> String
    {
        "Digest realm=\"http-auth@example.org\", \(more), algorithm=\(algorithm),"
            + " nonce=\"\(Self.nonce)\", opaque=\"\(Self.opaque)\""
    }

    private func answer(
        _ challenge: DigestChallenge,
        user: String = "Mufasa",
        password: String = "Circle of Life",
        count: UInt32 = 1
    ) -> String {
        challenge.answer(
            user: user,
            password: password,
            method: "GET",
            target: "/dir/index.html",
            count: count,
            clientNonce: Self.clientNonce
        )
    }

    @Test(
        "is answered as in RFC 7616 §3.9.1, and as a session",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ]
    )
    func answersVectors(_ algorithm: String, _ response: String) throws {
        let challenge = try #require(DigestChallenge.best(of: [self.challenge(algorithm)]))
        let answer = self.answer(challenge)
        let read = try #require(AuthenticationChallenge.all(in: answer).first)
        #expect(read.scheme == "Digest")
        #expect(
            read.parameters == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm, "nonce": Self.nonce, "nc": "00000001",
                "cnonce": Self.clientNonce, "qop": "auth", "response": response,
                "opaque": Self.opaque,
            ]
        )
        // RFC 7616 §3.4: `qop` and `nc` are never in quotes.
        #expect(answer.contains("qop=auth,") && answer.contains("nc=00000001,"))
    }

    @Test("of an old server is answered without a qop (RFC 2069)")
    func answersOld() throws {
        let old =
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        let challenge = try #require(DigestChallenge.best(of: [old]))
        let answer = self.answer(challenge, password: "CircleOfLife")
        #expect(answer.contains("response=\"1949323746fe6a43ef61f9606e7febea\""))
        for name in ["qop", "nc=", "cnonce", "opaque"] { #expect(!answer.contains(name)) }
    }

    @Test("for a session without a qop is answered with the client's nonce and no qop")
    func answersOldSession() throws {
        let challenge = try #require(
            DigestChallenge.best(of: [
                "Digest realm=\"http-auth@example.org\", nonce=\"\(Self.nonce)\", algorithm=MD5-sess"
            ])
        )
        let answer = self.answer(challenge)
        #expect(answer.contains("response=\"37a7f42db2090a3fcac4e26e747d4fc8\""))
        #expect(answer.contains("cnonce=") && !answer.contains("qop=") && !answer.contains("nc="))
    }

    @Test("counts in eight digits, up to the last number")
    func counts() throws {
        let challenge = try #require(DigestChallenge.best(of: [self.challenge("MD5")]))
        #expect(self.answer(challenge, count: 0x1A).contains("nc=0000001a,"))
        #expect(self.answer(challenge, count: .max).contains("nc=ffffffff,"))
    }

    @Test("has quotes and backslashes escaped so that a server reads them back")
    func quotes() throws {
        let field = #"Digest realm="a \"b\\ c", nonce="n\"1", qop=auth"#
        let challenge = try #require(DigestChallenge.best(of: [field]))
        #expect(challenge.realm == #"a "b\ c"# && challenge.nonce == #"n"1"#)
        let answer = self.answer(challenge, user: #"me "\"#)
        let parameters = try #require(AuthenticationChallenge.all(in: answer).first).parameters
        #expect(parameters["username"] == #"me "\"# && parameters["realm"] == challenge.realm)
        #expect(parameters["nonce"] == challenge.nonce)
    }

    @Test("is chosen if it is the strongest supported one, in any field and order")
    func takesStrongest() {
        let (md5, sha) = (self.challenge("MD5"), self.challenge("SHA-256"))
        let unknown = self.challenge("SHA-512-256")
        for fields in [[md5, sha, unknown], [unknown, sha, md5], ["\(md5), \(sha)"]] {
            #expect(DigestChallenge.best(of: fields)?.algorithm == .sha256)
        }
        #expect(DigestChallenge.best(of: ["Basic realm=\"x\", \(md5)"])?.algorithm == .md5)
        #expect(DigestChallenge.best(of: [self.challenge("md5")])?.algorithm == .md5)
    }

    @Test(
        "is ignored if it cannot be answered",
        arguments: [
            "Digest nonce=\"n\"", "Digest realm=\"r\"", "Basic realm=\"r\", nonce=\"n\"",
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"",
            "Digest realm=\"r\", nonce=\"n\", algorithm=TLS-SHA", "",
            "Digest realm=\"r\", nonce=\"n\", qop=\"\"",
        ]
    )
    func refuses(_ field: String) {
        #expect(DigestChallenge.best(of: [field]) == nil)
    }

    @Test("distinguishes an old nonce from a wrong password")
    func tellsStale() {
        for (field, isStale) in [
            ("stale=true", true), ("stale=\"TRUE\"", true), ("stale=false", false),
        ] {
            let challenge = DigestChallenge.best(of: [self.challenge("MD5", "qop=auth, \(field)")])
            #expect(challenge?.isStale == isStale)
        }
    }
}
