// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

typealias Event = LoadingRequestServer.Event
typealias Effect = LoadingRequestServer.Effect
typealias RequestID = LoadingRequestServer.RequestID
typealias ReadID = LoadingRequestServer.ReadID
typealias Limits = LoadingRequestServer.Limits

/// A server behind a layer that breaks one rule.
struct BrokenServer: RequestAnswering {
    private var server: LoadingRequestServer
    private let mischief: (Event, inout LoadingRequestServer) -> [Effect]
    private let hoard: () -> Int

    init(
        _ limits: Limits,
        hoard: @escaping () -> Int = { 0 },
        _ body: @escaping (Event, inout LoadingRequestServer) -> [Effect]
    ) {
        self.server = LoadingRequestServer(limits: limits)
        self.mischief = body
        self.hoard = hoard
    }

    /// Changes the server's effects one by one.
    static func replacing(_ limits: Limits, _ body: @escaping (Effect) -> [Effect]) -> BrokenServer
    {
        BrokenServer(limits) { event, server in server.handle(event).flatMap(body) }
    }

    /// Changes the events for the server one by one.
    static func told(_ limits: Limits, _ body: @escaping (Event) -> [Event]) -> BrokenServer {
        BrokenServer(limits) { event, server in body(event).flatMap { server.handle($0) } }
    }

    mutating func handle(_ event: Event) -> [Effect] { self.mischief(event, &self.server) }
    var heldCount: Int { self.server.heldCount + self.hoard() }
    var requestCount: Int { self.server.requestCount }
}

extension ByteMemory {
    /// The bytes, copied.
    var copy: [UInt8] { self.withUnsafeBytes { Array($0) } }
}
