// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirConsole
import WeirHTTP
import WeirNIOTransport
import WeirProxy
import WeirSource

/// Requests the state of a running `weir serve`, as its page does.
struct PageClient: Sendable {
    /// The longest line, in bytes; the first line contains all resources.
    private static let longestLine = 64 << 20

    /// How long the server may send nothing; a running server sends a line every five seconds.
    private static let patience = Duration.seconds(15)

    private var address: PageAddress
    /// The folder with the addresses of servers; `nil` if the user named a server.
    private let folder: String?
    private let transport: NIOTransport

    /// A client of the server at an address, or else of the last started server.
    ///
    /// - Throws: ``CommandError`` with `usage` if the text is not the address of a page, and with
    ///   `failed` if no server was started.
    init(_ text: String?, _ environment: ProgramEnvironment) throws {
        self.address = try PageAddress.named(text, environment)
        self.folder = text == nil ? environment.configurationDirectory : nil
        // The server is on this machine or near it, so ignore the proxies of the environment.
        self.transport = try NIOTransport(
            .init(proxies: ProxySettings(environment: [:]))
        )
    }

    /// Closes the connections.
    func close() async { await self.transport.shutdown() }

    /// No server answers, or the connection to it was lost.
    private struct ConnectionError: Error {
        let message: String
    }

    /// The address of a server that answers and accepts the secret.
    ///
    /// - Throws: ``CommandError`` if no server does; `CancellationError`.
    func check() async throws -> PageAddress {
        try await self.tellingLoss {
            let client = await self.living()
            try await client.body(of: "metrics").cancel()
            return client.address
        }
    }

    /// The client of the last started server that answers.
    ///
    /// If no server answers, the client of the last started server.
    private func living() async -> PageClient {
        guard let folder else { return self }
        let clients = PageAddress.all(in: folder).map { address in
            var client = self
            client.address = address
            return client
        }
        // A single server needs no check, since the real request reports its error.
        for client in clients where clients.count > 1 {
            guard let body = try? await client.body(of: "metrics") else { continue }
            body.cancel()
            return client
        }
        return clients.first ?? self
    }

    /// The current state.
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

    /// Turns a loss into an error for the user, for requests that are not repeated.
    private func tellingLoss<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let loss as ConnectionError {
            throw CommandError.failed(loss.message)
        }
    }

    /// Shows the current state, and the new state after each change.
    ///
    /// After a lost connection, `show` receives the last state with a notice, and the client tries
    /// to connect again each second. A restarted server counts as the same server. If the user
    /// named no server, the restarted one may use another port.
    ///
    /// - Throws: ``CommandError`` if there is no server at first, or if a later server does not
    ///   accept the secret; `CancellationError`.
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
            } catch let loss as ConnectionError {
                guard let last else { throw CommandError.failed(loss.message) }
                try await show(last, "No connection to the server; trying again. q quits")
                try await Task.sleep(for: .seconds(1))
                client = await client.living()
            }
        }
    }

    /// Shows states until the connection is lost.
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
            throw ConnectionError(
                message:
                    "No weir serve answers at \(self.address.url); start one, or name the address that it printed."
            )
        }
        guard response.status == 200 else {
            throw CommandError.failed(
                "The server at \(self.address.url) answers \(response.status): another program listens there, or the"
                    + " secret is wrong; name the address that weir serve printed."
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

    /// Does work with a time limit; a timeout counts as a lost connection.
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

    private var lost: ConnectionError {
        ConnectionError(
            message:
                "The connection to the server at \(self.address.url) was lost; see whether weir serve still runs."
        )
    }

    private var unreadable: CommandError {
        .failed(
            "The response of the server at \(self.address.url) cannot be read; it may be of another version: restart"
                + " weir serve."
        )
    }
}

extension PageAddress {
    /// The address that the user named, or else the address of the last started server.
    ///
    /// - Throws: ``CommandError`` with `usage` or `failed`.
    static func named(_ text: String?, _ environment: ProgramEnvironment) throws -> PageAddress {
        if let text {
            guard let address = PageAddress(text) else {
                throw CommandError.usage(
                    "This is not an address of a page; one looks like http://127.0.0.1:4747/page/#0123456789abcdef,"
                        + " and weir serve prints it."
                )
            }
            return address
        }
        guard let address = PageAddress.stored(in: environment.configurationDirectory) else {
            throw CommandError.failed(
                "No weir serve with a page has started yet; start one, and try again."
            )
        }
        return address
    }
}
