// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

/// Only the user who configured a credential learns from an error where the credential was read.
@Suite("The place of a refused credential")
struct RefusalPlaceTests {
    /// A kind of credential, the place that an error may name, and a request that the server refuses.
    private struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let place: String
        let ask: @Sendable (AnsweringTransport) async throws -> Void
    }

    private static func server(
        _ client: ServiceClient,
        _ authorizer: (any RequestAuthorizer)?,
        _ headers: HTTPHeaderList = HTTPHeaderList()
    ) throws -> WebDAV {
        WebDAV(
            name: "dav",
            base: try OriginURL("https://dav.test/files/"),
            authorizer: authorizer,
            headers: headers,
            client: client
        )
    }

    /// Reads from a bucket; the finder looks for its key in these variables and their file.
    private static func look(
        _ client: ServiceClient,
        profile: String? = nil,
        variables: [String: String]
    ) async throws {
        let finder = S3KeyFinder(
            profile: profile,
            environment: { variables[$0] },
            client: client
        )
        _ = try await Self.bucket(client, .found(finder)).describe(try FolderPath("a"))
    }

    private static func bucket(_ client: ServiceClient, _ keys: S3KeySource) -> S3 {
        S3(
            name: "store",
            bucket: S3.Bucket(name: "music", region: "eu-central-1"),
            keys: keys,
            client: client
        )
    }

    private static let file = "/home/me/.aws/credentials-of-mine"

    private static let kinds: [Kind] = [
        Kind(testDescription: "a header", place: "/home/me/header.txt") { transport in
            let field = try HTTPHeader(name: "Cookie", value: "hush").read(
                in: "/home/me/header.txt"
            )
            let headers = HTTPHeaderList([field])
            _ = try await Self.server(transport.client, nil, headers).describe(try FolderPath("a"))
        },
        Kind(testDescription: "a user and a password", place: "MY_PASSWORD") { transport in
            let authorizer = PasswordAuthorizer(user: "me", password: "pw", place: "MY_PASSWORD")
            _ = try await Self.server(transport.client, authorizer).describe(try FolderPath("a"))
        },
        Kind(testDescription: "a token", place: "MY_TOKEN") { transport in
            let credential = FixedCredential(token: "hush", place: "MY_TOKEN")
            let authorizer = TokenAuthorizer(scheme: "Bearer", provider: credential)
            _ = try await Self.server(transport.client, authorizer).describe(try FolderPath("a"))
        },
        Kind(testDescription: "a key of S3", place: "MY_SECRET") { transport in
            let keys = S3Keys(identifier: "A", secret: "s", place: "MY_SECRET")
            _ = try await Self.bucket(transport.client, .given(keys)).describe(try FolderPath("a"))
        },
        Kind(testDescription: "a key of S3 in variables", place: "AWS_ACCESS_KEY_ID") { transport in
            try await Self.look(
                transport.client,
                variables: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"]
            )
        },
        Kind(testDescription: "a profile of S3 that is not there", place: Self.file) { transport in
            try await Self.look(
                transport.client,
                profile: "work",
                variables: ["AWS_SHARED_CREDENTIALS_FILE": Self.file]
            )
        },
        Kind(testDescription: "no key of S3", place: Self.file) { transport in
            try await Self.look(
                transport.client,
                variables: [
                    "AWS_SHARED_CREDENTIALS_FILE": Self.file, "AWS_EC2_METADATA_DISABLED": "true",
                ]
            )
        },
        Kind(testDescription: "an account that is logged out", place: "anna") { transport in
            let account = AccountID(service: "yandex", name: "anna")
            let tokens = AccountTokens(
                accessToken: "a",
                refreshToken: nil,
                expirySeconds: nil,
                clientIdentifier: "app"
            )
            let credential = OAuthCredential(
                account: account,
                store: MemoryTokenStore([account: tokens]),
                client: OAuthClient(
                    endpoint: try OriginURL("https://oauth.test/token"),
                    client: transport.client
                )
            )
            let authorizer = TokenAuthorizer(scheme: "OAuth", provider: credential)
            _ = try await Self.server(transport.client, authorizer).describe(try FolderPath("a"))
        },
        Kind(testDescription: "a file of accounts that others may read", place: "/weir-accounts/") {
            transport in
            let folder = TemporaryDirectory()
            let store = FileTokenStore(directory: folder.path(of: "weir-accounts"))
            let account = AccountID(service: "yandex", name: "anna")
            try store.save(AccountTokens(accessToken: "a"), of: account)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: store.path
            )
            let credential = OAuthCredential(
                account: account,
                store: store,
                client: OAuthClient(
                    endpoint: try OriginURL("https://oauth.test/token"),
                    client: transport.client
                )
            )
            let authorizer = TokenAuthorizer(scheme: "OAuth", provider: credential)
            _ = try await Self.server(transport.client, authorizer).describe(try FolderPath("a"))
        },
    ]

    @Test("is in the owner's sentence, and not in the message", arguments: Self.kinds)
    private func place(_ kind: Kind) async throws {
        let transport = AnsweringTransport { _, _ in .init(401) }
        let error = try #require(await thrownError { try await kind.ask(transport) })
        #expect(error.ownerMessage.contains(kind.place), "\(error.ownerMessage)")
        #expect(!error.message.contains(kind.place), "\(error.message)")
        #expect(
            !"\(error)".contains(kind.place) && !error.localizedDescription.contains(kind.place)
        )
        #expect(error.message.hasSuffix(".") && !error.message.contains("  "))
    }

    @Test("of Yandex.Disk's token is in the owner's sentence, too")
    func yandex() throws {
        let answer = ServiceAnswer(
            status: 401,
            headers: HTTPHeaderList(),
            body: [],
            url: try OriginURL("https://h/")
        )
        let error = YandexDiskFailure(answer)
            .error(about: "disk:/a", host: "h", sent: .one(from: "MY_TOKEN"))
        #expect(error.ownerMessage.contains("the one in MY_TOKEN was refused"))
        #expect(error.message.contains("the one that was sent was refused"))
    }
}
