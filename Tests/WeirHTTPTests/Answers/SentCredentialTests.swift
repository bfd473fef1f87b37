// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("A refusal names the sent credential")
struct SentCredentialTests {
    private static func field(_ name: String, _ place: String?) throws -> HTTPHeader {
        try HTTPHeader(name: name, value: "hush").read(in: place)
    }

    @Test("an Authorization comes before a cookie, and a cookie before other credential fields")
    func order() throws {
        let plain = try [Self.field("Accept", "A"), Self.field("Referer", "R")]
        #expect(SentCredential(in: HTTPHeaderList(plain)) == .none)
        let key = try Self.field("X-Api-Key", "KEY")
        #expect(SentCredential(in: HTTPHeaderList(plain + [key])) == .one(from: "KEY"))
        let cookie = try Self.field("Cookie", "COOKIE")
        #expect(SentCredential(in: HTTPHeaderList([key, cookie])) == .one(from: "COOKIE"))
        let token = try Self.field("authorization", "TOKEN")
        #expect(SentCredential(in: HTTPHeaderList([key, cookie, token])) == .one(from: "TOKEN"))
        #expect(try SentCredential(in: [Self.field("Authorization", nil)].list) == .one(from: nil))
    }

    /// The error for a status, from an origin whose requests have some header fields.
    private static func refusal(
        _ status: Int,
        _ headers: [HTTPHeader],
        at url: String = "https://media.test/a.mp3"
    ) async throws -> SourceError? {
        let transport = ScriptedTransport(.answer(status))
        var options = plainOptions
        options.headers = HTTPHeaderList(headers)
        let origin = try makeOrigin(url, transport: transport, options: options)
        return await sourceError { _ = try await origin.read(.whole) }
    }

    @Test("401: the error says that no credential was sent, or which one was refused")
    func unauthorized() async throws {
        let start = "https://media.test/a.mp3 wants a credential (401 Unauthorized), and "
        let none = try await Self.refusal(401, [])
        #expect(
            none?.message
                == "\(start)none was sent; give one, for example in an Authorization header."
        )
        for (place, words) in [
            ("TOKEN", "the one in TOKEN was refused"),
            ("--header", "the one in --header was refused"),
            (nil, "the one that was sent was refused"),
        ] {
            let error = try await Self.refusal(401, [Self.field("Authorization", place)])
            #expect(error?.code == .unauthorized)
            let advice = "check that it is valid and has not expired."
            #expect(error?.ownerMessage == "\(start)\(words); \(advice)")
            #expect(error?.message == "\(start)the one that was sent was refused; \(advice)")
        }
        let address = try await Self.refusal(401, [], at: "https://me:hush@media.test/a.mp3")
        #expect(address?.ownerMessage.contains("the one in its address was refused") == true)
        #expect(address?.message.contains("hush") == false)
    }

    @Test("403: the error says that no credential was sent, or which one is not enough")
    func forbidden() async throws {
        let none = try await Self.refusal(403, [])
        #expect(none?.message.contains("and no credential was sent; give one") == true)
        let one = try await Self.refusal(403, [Self.field("Cookie", "jar.txt")])
        #expect(
            one?.ownerMessage.contains("cannot be read with the credential in jar.txt") == true
        )
        #expect(one?.message.contains("read with the credential that was sent (403") == true)
        #expect(one?.code == .forbidden)
    }

    @Test("a credential that a redirect dropped was not sent")
    func redirected() async throws {
        let transport = ScriptedTransport(
            .answer(302, [("Location", "https://other.test/")]),
            .answer(302, [("Location", "https://media.test/b")]),
            .answer(401)
        )
        var options = plainOptions
        options.headers = try [Self.field("Authorization", "TOKEN")].list
        let origin = try makeOrigin(transport: transport, options: options)
        let error = await sourceError { _ = try await origin.read(.whole) }
        #expect(error?.message.contains("none was sent") == true)
    }

    @Test("the place does not affect a field's equality")
    func equality() throws {
        let one = try Self.field("A", "TOKEN")
        let other = try Self.field("A", nil)
        #expect(one == other && Set([one, other]).count == 1)
        #expect(!"\(one)".contains("TOKEN"))
    }
}

extension [HTTPHeader] {
    fileprivate var list: HTTPHeaderList { HTTPHeaderList(self) }
}
