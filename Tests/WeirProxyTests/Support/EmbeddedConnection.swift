// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import WeirSource

@testable import WeirProxy

/// A connection without a socket: bytes in, bytes out, and a clock that the test moves.
///
/// It can only serve resident bytes. Other bytes need tasks, and an event loop with a thread.
final class EmbeddedConnection {
    private let channel: EmbeddedChannel
    private let loop = EmbeddedEventLoop()
    private let registry: ConnectionRegistry

    init(
        _ sources: [String: any ByteSource],
        configuration: ProxyConfiguration = ProxyConfiguration(secret: nil),
        pace: SendingPace? = nil,
        client: ClientAddress = .unknown
    ) throws {
        var service = ConnectionService(
            configuration: configuration,
            secret: configuration.secret.flatMap { ProxySecret($0) },
            router: TestProxy.Router(sources: sources),
            eventLoops: [self.loop],
            onEvent: nil
        )
        service.timeOfDay = { 784_111_777 }
        service.pace = pace
        self.registry = service.registry
        let now = self.loop.now
        guard let claim = service.registry.enter(from: client.network, at: now) else {
            throw ChannelError.ioOnClosedChannel
        }
        self.channel = EmbeddedChannel(
            handlers: ConnectionHandler.pipeline(
                service,
                client: client,
                claim: claim,
                on: self.loop
            ),
            loop: self.loop
        )
        try self.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    deinit {
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
    }

    var isOpen: Bool { self.channel.isActive }

    /// Delivers bytes to the proxy; does nothing if the connection has ended.
    func receive(_ bytes: some Collection<UInt8>) throws {
        guard self.channel.isActive else { return }
        try self.channel.writeInbound(ByteBuffer(bytes: Array(bytes)))
    }

    /// All bytes that the proxy has written since the last call.
    func sent() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let data = try self.channel.readOutbound(as: IOData.self) {
            guard case .byteBuffer(let buffer) = data else { continue }
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    /// The runs of files that the proxy has written since the last call, and the bytes between them.
    func sentPieces() throws -> (bytes: [UInt8], runs: [Range<Int>]) {
        var bytes: [UInt8] = []
        var runs: [Range<Int>] = []
        while let data = try self.channel.readOutbound(as: IOData.self) {
            switch data {
            case .byteBuffer(let buffer): bytes += buffer.readableBytesView
            case .fileRegion(let region): runs.append(region.readerIndex..<region.endIndex)
            }
        }
        return (bytes, runs)
    }

    func sentText() throws -> String {
        String(decoding: try self.sent(), as: UTF8.self)
    }

    /// Whether the proxy closes this connection when the system has no descriptors left.
    func isShed() -> Bool {
        self.registry.shed(at: self.loop.now)
    }

    func advance(seconds: Int64) { self.advance(milliseconds: 1000 * seconds) }

    func advance(milliseconds: Int64) {
        self.loop.advanceTime(by: .milliseconds(milliseconds))
    }
}
