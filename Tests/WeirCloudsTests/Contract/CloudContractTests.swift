// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("A file of every service keeps the contract", .timeLimit(.minutes(3)))
struct CloudContractTests {
    private static let path = "/Music/song.mp3"
    private static let options = HTTPOrigin.Options(
        retry: RetryPolicy(firstDelay: .milliseconds(1), maximumDelay: .milliseconds(2))
    )

    /// Each subject has its own server; `makeService` makes its service.
    private static func contract(
        isMultipart: Bool = false,
        _ makeService:
            @escaping @Sendable (YandexDiskServer, ServiceClient) throws -> any CloudService
    ) -> ByteSourceContract {
        ByteSourceContract(abilities: [.holding, .originCount, .replacement], readAhead: 262_144) {
            resource in
            let server = YandexDiskServer(
                files: [Self.path: .pattern(length: resource.length, seed: resource.seed)]
            )
            server.change { $0.sendsMultipart = isMultipart }
            try await server.start()
            let transport = try HoldingTransport(hold: resource.hold)
            let client = ServiceClient(transport: transport)
            let storage = CloudStorage(
                try makeService(server, client),
                options: Self.options,
                transport: transport
            )
            var subject = ContractSubject(storage.source(of: try FolderPath(Self.path)))
            subject.originByteCount = { transport.counted.value }
            subject.replace = { other in
                server.set(Self.path, .pattern(length: other.length, seed: other.seed))
            }
            subject.end = {
                await transport.base.shutdown()
                await server.shutdown()
            }
            return subject
        }
    }

    private static let token = "y0_weir-test-token"

    @Test("Yandex.Disk over REST", arguments: ByteSourceContract.clauses)
    func rest(_ clause: ByteSourceContract.Clause) async throws {
        let contract = Self.contract { server, client in
            YandexDisk(
                name: "yandex",
                credentials: FixedCredential(token: Self.token),
                api: try OriginURL("\(server.apiURL)/"),
                client: client
            )
        }
        _ = try await clause.check(contract)
    }

    @Test(
        "Yandex.Disk over WebDAV, in parts",
        arguments: ByteSourceContract.clauses,
        [false, true]
    )
    func webDAV(_ clause: ByteSourceContract.Clause, isMultipart: Bool) async throws {
        let contract = Self.contract(isMultipart: isMultipart) { server, client in
            WebDAV(
                name: "disk",
                base: try OriginURL("\(server.webdavURL)/"),
                authorizer: TokenAuthorizer(
                    scheme: "OAuth",
                    provider: FixedCredential(token: Self.token)
                ),
                client: client
            )
        }
        _ = try await clause.check(contract)
    }

    @Test("links from the application", arguments: ByteSourceContract.clauses)
    func links(_ clause: ByteSourceContract.Clause) async throws {
        let contract = Self.contract { server, _ in
            let url = try OriginURL("\(server.webdavURL)\(Self.path)")
            let header = try HTTPHeader(name: "Authorization", value: "OAuth \(Self.token)")
            return LinkService(name: "film") { _ in
                Link(url: url, headers: HTTPHeaderList([header]), lifetime: .seconds(60))
            }
        }
        _ = try await clause.check(contract)
    }

    @Test("a file of this machine", arguments: ByteSourceContract.clauses)
    func file(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .replacement) { resource in
            let folder = TemporaryDirectory()
            let file = folder.path(of: "song.mp3")
            try LocalFile.write(resource.bytes(in: 0..<resource.length), to: file)
            var subject = ContractSubject(FileSource(path: file))
            subject.replace = { other in
                try LocalFile.write(other.bytes(in: 0..<other.length), to: file)
            }
            subject.end = { withExtendedLifetime(folder) {} }
            return subject
        }
        _ = try await clause.check(contract)
    }
}
