// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirTestKit

/// An origin on loopback that sends exactly the bytes that a test scripts, right or wrong.
final class BluntOrigin: Sendable {
    /// What was asked.
    struct Request: Sendable {
        let method: String
        /// As it stood in the request line.
        let target: String
        /// The fields, names in lower case.
        let fields: [String: String]
        /// Which request it is, from 0.
        let index: Int

        /// The one range that was asked for; its end is `Int64.max` where none was named.
        var range: Range<Int64>? {
            guard let field = self.fields["range"], field.hasPrefix("bytes=") else { return nil }
            let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard bounds.count == 2, let lower = Int64(bounds[0]) else { return nil }
            guard let last = Int64(bounds[1]) else { return lower..<Int64.max }
            return lower..<max(lower, last + 1)
        }
    }

    /// What is sent, one after the other.
    enum Step: Sendable {
        case text(String)
        case bytes([UInt8])
        case hold(Gate)
        case close
    }

    let port: Int
    private let record: Watched<[Request]>
    private let group: MultiThreadedEventLoopGroup

    private init(port: Int, _ record: Watched<[Request]>, _ group: MultiThreadedEventLoopGroup) {
        self.port = port
        self.record = record
        self.group = group
    }

    /// Starts to listen.
    static func start(
        _ script: @escaping @Sendable (Request) -> [Step]
    ) async throws -> BluntOrigin {
        let record = Watched<[Request]>([])
        // A group of its own, so that its end is the end of all connections.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(record, script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return BluntOrigin(port: channel.localAddress?.port ?? 0, record, group)
    }

    /// Everything that was asked so far.
    var requests: [Request] { self.record.value }

    /// Waits until something was asked.
    func wait(until condition: @escaping @Sendable ([Request]) -> Bool) async throws {
        try await self.record.wait(until: condition)
    }

    /// Ends the listener and all connections; any number of times.
    func shutdown() async {
        try? await self.group.shutdownGracefully()
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let record: Watched<[Request]>
        private let script: @Sendable (Request) -> [Step]
        private var text = ""
        private var player: Task<Void, Never>?

        init(_ record: Watched<[Request]>, _ script: @escaping @Sendable (Request) -> [Step]) {
            self.record = record
            self.script = script
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.player?.cancel()
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            while let end = self.text.firstRange(of: "\r\n\r\n") {
                let head = self.text[..<end.lowerBound]
                self.text = String(self.text[end.upperBound...])
                let request = self.record.update { record in
                    let request = Request(head, index: record.count)
                    record.append(request)
                    return request
                }
                self.player = Self.started(
                    self.script(request),
                    context.channel,
                    after: self.player
                )
            }
        }

        private static func started(
            _ steps: [Step],
            _ channel: any Channel,
            after previous: Task<Void, Never>?
        ) -> Task<Void, Never> {
            // Owner: the connection. Ends with the steps, or when the connection ends.
            Task {
                await previous?.value
                // A connection that breaks is the test's business.
                try? await Self.play(steps, channel)
            }
        }

        private static func play(_ steps: [Step], _ channel: any Channel) async throws {
            for step in steps {
                switch step {
                case .text(let text): try await channel.writeAndFlush(ByteBuffer(string: text))
                case .bytes(let bytes): try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
                case .hold(let gate): try await gate.wait()
                case .close: try await channel.close()
                }
            }
        }
    }
}

extension BluntOrigin.Request {
    /// Cuts a request's head at its lines.
    init(_ head: Substring, index: Int) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.init(
            method: String(words.first ?? ""),
            target: words.count > 1 ? String(words[1]) : "",
            fields: fields,
            index: index
        )
    }
}
