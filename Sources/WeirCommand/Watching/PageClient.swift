// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirConsole
import WeirHTTP
import WeirNIOTransport
import WeirProxy
import WeirSource

/// Asks a running `weir serve` what it does, as its page does.
struct PageClient: Sendable {
    /// The most bytes of a line: the first names all resources.
    private static let longestLine = 64 << 20

    /// How long nothing may come: a server that lives sends a line every five seconds.
    private static let patience = Duration.seconds(15)

    private var address: PageAddress
    /// Where the address of the server that was started last is found; `nil` for a server that somebody has named.
    private let folder: String?
    private let transport: NIOTransport

    /// A client of the server at an address or, without one, of the server that was started last.
    ///
    /// - Throws: ``CommandError`` with `usage` for what is no address of a page, and `failed` where no server was started.
    init(_ text: String?, _ environment: ProgramEnvironment) throws {
        self.address = try PageAddress.named(text, environment)
        self.folder = text == nil ? environment.configurationDirectory : nil
        // The server is on this machine or near it: no proxy of the environment leads there.
        self.transport = try NIOTransport(
            .init(proxies: ProxySettings(environment: [:]))
        )
    }

    /// Ends the connections.
    func close() async { await self.transport.shutdown() }

    /// There is no server, or no longer one.
    private struct Loss: Error {
        let message: String
    }

    /// The address of a server that answers and knows the secret.
    ///
    /// - Throws: ``CommandError`` if none does; `CancellationError`.
    func check() async throws -> PageAddress {
        try await self.tellingLoss {
            let client = await self.living()
            try await client.body(of: "metrics").cancel()
            return client.address
        }
    }

    /// The client of the server that was started last of those that answer; of the last one started if none does.
    private func living() async -> PageClient {
        guard let folder else { return self }
        let clients = PageAddress.all(in: folder).map { address in
            var client = self
            client.address = address
            return client
        }
        // One alone says itself why it does not answer.
        for client in clients where clients.count > 1 {
            guard let body = try? await client.body(of: "metrics") else { continue }
            body.cancel()
            return client
        }
        return clients.first ?? self
    }

    /// What there is now.
    ///
    /// - Throws: ``CommandError``; `CancellationError`.
    func state() async throws -> ConsoleState {
        try await self.tellingLoss {
            let client = await self.living()
            let body = try await client.body(of: "state")
            var bytes: [UInt8] = []
            while let piece = try await client.next(of: body) {
                bytes += piece
                guard bytes.count <= Self.longestLine else { throw client.unreadable }
            }
            return try client.decoded(bytes)
        }
    }

    /// Where nothing is tried again, a loss is the end.
    private func tellingLoss<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let loss as Loss {
            throw CommandError.failed(loss.message)
        }
    }

    /// What there is now, and again after each change.
    ///
    /// When a connection is lost, `show` is told so beside what there was last, and it is tried again each second: a
    /// server that is started anew is the same, at whatever port it is if nobody has named one.
    ///
    /// - Throws: ``CommandError`` if there is no server at first, or one later that does not know the secret;
    ///   `CancellationError`.
    func states(
        _ show: (_ state: ConsoleState, _ notice: String?) async throws -> Void
    ) async throws {
        var last: ConsoleState?
        var client = await self.living()
        while true {
            do {
                try await client.follow { state in
                    last = state
                    try await show(state, nil)
                }
            } catch let loss as Loss {
                guard let last else { throw CommandError.failed(loss.message) }
                try await show(last, "The server is gone; it is looked for. q ends it")
                try await Task.sleep(for: .seconds(1))
                client = await client.living()
            }
        }
    }

    /// The same, until the connection is lost.
    private func follow(_ show: (ConsoleState) async throws -> Void) async throws {
        let body = try await self.body(of: "events")
        var state: ConsoleState?
        var rest: [UInt8] = []
        while let piece = try await self.next(of: body) {
            rest += piece
            guard rest.count <= Self.longestLine else { throw self.unreadable }
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
                guard state != nil else {
                    state = try self.decoded(Array(line))
                    continue
                }
                let change: ConsoleChange = try self.decoded(Array(line))
                guard state?.apply(change) == true else { throw self.lost }
            }
            rest.removeSubrange(...end)
            if let state { try await show(state) }
        }
        throw self.lost
    }

    private func body(of name: String) async throws -> any HTTPBody {
        let url = try OriginURL("\(self.address.url)\(name)")
        let headers = try HTTPHeaderList(["Authorization": "Bearer \(self.address.secret.text)"])
        let response: HTTPTransportResponse
        do {
            response = try await Self.within(Self.patience) {
                try await self.transport.send(HTTPTransportRequest(url: url, headers: headers))
            }
        } catch is HTTPTransportError {
            throw Loss(
                message:
                    "No weir serve answers at \(self.address.url); start one, or name the address that it printed."
            )
        }
        guard response.status == 200 else {
            throw CommandError.failed(
                "The server at \(self.address.url) answers \(response.status): another program is there, or the secret is"
                    + " another one; name the address that weir serve printed."
            )
        }
        return response.body
    }

    private func next(of body: any HTTPBody) async throws -> [UInt8]? {
        do {
            return try await Self.within(Self.patience) {
                try await body.next()?.withUnsafeBytes { [UInt8]($0) }
            }
        } catch is HTTPTransportError {
            throw self.lost
        }
    }

    /// Does work that fails when it takes too long, as if there were no server.
    private static func within<Result: Sendable>(
        _ limit: Duration,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPTransportError(
                    .idleTimedOut,
                    "it was silent for \(limit.components.seconds) s"
                )
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private func decoded<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let value = try? decoder.decode(Value.self, from: Data(bytes)) else {
            throw self.unreadable
        }
        return value
    }

    private var lost: Loss {
        Loss(
            message:
                "The connection to the server at \(self.address.url) was lost; see whether weir serve still runs."
        )
    }

    private var unreadable: CommandError {
        .failed(
            "What the server at \(self.address.url) sent cannot be read; it may be of another version: start weir serve anew."
        )
    }
}

extension PageAddress {
    /// The address that somebody names or, without a name, that of the server that was started last.
    ///
    /// - Throws: ``CommandError`` with `usage` or `failed`.
    static func named(_ text: String?, _ environment: ProgramEnvironment) throws -> PageAddress {
        if let text {
            guard let address = PageAddress(text) else {
                throw CommandError.usage(
                    "That is no address of a page; it looks like http://127.0.0.1:4747/page/#0123456789abcdef, and weir serve"
                        + " prints it."
                )
            }
            return address
        }
        guard let address = PageAddress.stored(in: environment.configurationDirectory) else {
            throw CommandError.failed(
                "No weir serve has been started yet that has a page; start one, and look again."
            )
        }
        return address
    }
}
