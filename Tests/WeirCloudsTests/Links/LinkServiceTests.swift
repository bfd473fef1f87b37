// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A service of links")
struct LinkServiceTests {
    private func service(_ link: @escaping @Sendable (FolderPath) async throws -> Link)
        -> LinkService
    {
        LinkService(name: "shop", now: { 1_720_627_355 }, makeLink: link)
    }

    @Test("names the file, and shows no link")
    func names() async throws {
        let service = self.service { _ in Link(url: try OriginURL("https://h/s3cret")) }
        let path = try FolderPath("a/b.mp3")
        #expect(service.displayName(of: path) == "shop:/a/b.mp3")
        #expect(service.identity(of: path) == "link:shop:/a/b.mp3")
        #expect(
            service.authority == "shop" && service.credentialScope == .account("shop")
                && !service.describesBytes
        )
        let unknown = await thrownError { _ = try await service.describe(path) }
        #expect(unknown?.code == .invalidRequest)
        let error = await thrownError { for try await _ in service.list(path) {} }
        #expect(error?.code == .invalidRequest)
    }

    @Test("uses the given lifetime, else the address's, else no lifetime")
    func takesLife() async throws {
        let cases: [(String, Duration?, CloudLocation.Validity)] = [
            ("https://h/a?Expires=1720627455", .seconds(7), .lifetime(.seconds(7))),
            ("https://h/a?Expires=1720627455", nil, .lifetime(.seconds(100))),
            ("https://h/a", nil, .untilRefused),
        ]
        for (url, life, expected) in cases {
            let service = self.service { _ in
                Link(
                    url: try OriginURL(url),
                    headers: HTTPHeaderList([try HTTPHeader(name: "X-Key", value: "k")]),
                    lifetime: life
                )
            }
            let found = try await service.locate(.root, range: .whole, after: nil)
            #expect(found.validity == expected && found.location.headers["X-Key"] == "k")
        }
    }

    @Test("asks for another link where one may have ended, and passes errors on unchanged")
    func rules() async throws {
        let service = self.service { _ in throw SourceError(.forbidden, "Not yours.") }
        let error = await thrownError {
            _ = try await service.locate(.root, range: .whole, after: nil)
        }
        #expect(error?.message == "Not yours.")
        for (status, repetition, isAnew) in [
            (400, 1, true), (401, 1, true), (403, 1, true), (404, 1, true), (410, 1, true),
            (500, 1, false), (500, 2, true), (429, 2, false), (503, 2, false),
        ] {
            let refusal = OriginFailure(
                location: OriginLocation(url: try OriginURL("https://h/")),
                isDirect: true,
                status: status,
                headers: HTTPHeaderList(),
                body: [],
                repetition: repetition
            )
            if case .locateAnew = await service.ruling(on: refusal, about: .root) {
                #expect(isAnew)
            } else {
                #expect(!isAnew)
            }
        }
    }
}
