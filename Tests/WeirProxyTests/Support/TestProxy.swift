// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirProxy
import WeirSource
import WeirTestKit

/// A proxy that serves sources by their paths and records its requests.
struct TestProxy: Sendable {
    struct Router: ProxyRouter {
        let sources: [String: any ByteSource]

        func source(for target: String) -> (any ByteSource)? {
            self.sources[String(target.prefix { $0 != "?" })]
        }
    }

    let server: ProxyServer
    let records: Watched<[ProxyRequestRecord]>

    var port: Int { self.server.port }

    /// Runs a proxy during the call.
    static func run<Result>(
        _ sources: [String: any ByteSource],
        _ configuration: ProxyConfiguration = ProxyConfiguration(secret: nil),
        pages: (any PageService)? = nil,
        _ body: (TestProxy) async throws -> Result
    ) async throws -> Result {
        try await Self.run(Router(sources: sources), configuration, pages: pages, body)
    }

    /// Runs a proxy with a test's own router during the call.
    static func run<Result>(
        _ router: any ProxyRouter,
        _ configuration: ProxyConfiguration = ProxyConfiguration(secret: nil),
        pages: (any PageService)? = nil,
        _ body: (TestProxy) async throws -> Result
    ) async throws -> Result {
        let records = Watched<[ProxyRequestRecord]>([])
        let server = try await ProxyServer.start(
            configuration,
            router: router,
            pages: pages,
            onEvent: { event in
                guard case .requestFinished(let record) = event else { return }
                records.update { $0.append(record) }
            }
        )
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(TestProxy(server: server, records: records)))
        } catch {
            result = .failure(error)
        }
        await server.shutdown()
        return try result.get()
    }

    /// A connection to the proxy.
    func connect(isReading: Bool = true, receiveBuffer: Int? = nil) async throws -> RawClient {
        try await RawClient.connect(
            to: self.port,
            isReading: isReading,
            receiveBuffer: receiveBuffer
        )
    }

    /// Sends one request on its own connection.
    func get(
        _ target: String,
        method: String = "GET",
        _ fields: [String] = []
    ) async throws -> RawResponse {
        let client = try await self.connect()
        let response = try await client.get(target, method: method, fields)
        await client.close()
        return response
    }

    /// Waits until the proxy has finished `count` requests.
    func records(_ count: Int) async throws -> [ProxyRequestRecord] {
        try await self.records.wait { $0.count >= count }
        return self.records.value
    }
}
