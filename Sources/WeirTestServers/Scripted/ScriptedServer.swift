// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOPosix
package import WeirTestKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A server on loopback that sends exactly the bytes that a test scripts, right or wrong.
package final class ScriptedServer: Sendable {
    /// A request, split into its lines.
    package struct Request: Sendable {
        package let method: String
        /// The target in the request line.
        package let target: String
        /// The fields, their names in lower case.
        package let headers: [String: String]
        package var body = ""
        /// The connection that it came over, counted from 0.
        package let connection: Int
        /// The number of the request over all connections, from 0.
        package let index: Int

        /// The one requested range; its end is `Int64.max` if the request names no end.
        package var range: Range<Int64>? {
            guard let field = self.headers["range"], field.hasPrefix("bytes=") else { return nil }
            let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard bounds.count == 2, let lower = Int64(bounds[0]) else { return nil }
            guard let last = Int64(bounds[1]) else { return lower..<Int64.max }
            return lower..<max(lower, last + 1)
        }
    }

    package enum Step: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Bytes of ``PatternBytes``.
        case pattern(Range<Int64>, seed: UInt64 = 1)
        /// Bytes of ``PatternBytes`` in chunked coding, without the empty chunk at the end.
        case chunkedPattern(Range<Int64>, seed: UInt64 = 1)
        case hold(Gate)
        /// Nothing more until the client has gone.
        case stall
        case close
        /// The end of the server's bytes; the connection closes when the client closes it, too.
        case closeOutput
        /// Closes the socket without the closing message of TLS.
        case cut
    }

    package struct State: Sendable {
        package var requests: [Request] = []
        package var opened = 0
        package var closed = 0
        /// How many connections the client has reset.
        package var resets = 0
        /// How many bytes of ``Step/pattern(_:seed:)`` the system has taken.
        package var written: Int64 = 0
    }

    package let state: Watched<State>
    package let port: Int
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    private init(
        _ channel: any Channel,
        _ group: MultiThreadedEventLoopGroup,
        _ state: Watched<State>
    ) {
        self.channel = channel
        self.group = group
        self.state = state
        self.port = channel.localAddress?.port ?? 0
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - host: the address it listens at.
    ///   - handlers: makes the handlers between the socket and the script, such as TLS.
    ///   - script: gets each request, and returns the steps of its answer.
    /// - Returns: a server that listens.
    /// - Throws: the error of the system.
    package static func start(
        host: String = "127.0.0.1",
        handlers: @escaping @Sendable () throws -> [any ChannelHandler] = { [] },
        _ script: @escaping @Sendable (Request) -> [Step]
    ) async throws -> ScriptedServer {
        let state = Watched(State())
        // A group of its own, so that the end of the group is the end of all connections.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(SocketSide(), name: SocketSide.name)
                    try pipeline.addHandlers(handlers())
                    try pipeline.addHandler(ScriptedConnection(state, script))
                }
            }
            .bind(host: host, port: 0).get()
        return ScriptedServer(channel, group, state)
    }

    /// All requests so far.
    package var requests: [Request] { self.state.value.requests }

    /// Waits until the requests so far fulfil a condition.
    package func wait(until condition: @escaping @Sendable ([Request]) -> Bool) async throws {
        try await self.state.wait { condition($0.requests) }
    }

    /// Closes everything; may be called any number of times.
    package func shutdown() async {
        try? await self.group.shutdownGracefully()
    }

    package func url(_ target: String, scheme: String = "http", host: String = "127.0.0.1")
        -> String
    {
        "\(scheme)://\(host):\(self.port)\(target)"
    }
}

/// One connection of a ``ScriptedServer``: splits its input into requests, and plays the script of
/// each.
final class ScriptedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: Watched<ScriptedServer.State>
    private let script: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]
    private var number = 0
    private var text = ""
    private var player: Task<Void, Never>?

    init(
        _ state: Watched<ScriptedServer.State>,
        _ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]
    ) {
        self.state = state
        self.script = script
    }

    func channelActive(context: ChannelHandlerContext) {
        self.number = self.state.update { state in
            state.opened += 1
            return state.opened - 1
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.player?.cancel()
        self.state.update { $0.closed += 1 }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? IOError)?.errnoCode == ECONNRESET { self.state.update { $0.resets += 1 } }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.text += String(buffer: self.unwrapInboundIn(data))
        while let end = self.text.firstRange(of: "\r\n\r\n") {
            let head = self.text[..<end.lowerBound]
            let rest = self.text[end.upperBound...]
            let length = ScriptedServer.Request(head, connection: 0, index: 0)
                .headers["content-length"].flatMap(Int.init)
            guard rest.utf8.count >= length ?? 0 else { return }
            let body = String(rest.prefix(length ?? 0))
            self.text = String(rest.dropFirst(length ?? 0))
            let request = self.state.update { [number] state in
                var request = ScriptedServer.Request(
                    head,
                    connection: number,
                    index: state.requests.count
                )
                request.body = body
                state.requests.append(request)
                return request
            }
            let steps = self.script(request)
            self.player = Self.started(steps, context.channel, self.state, after: self.player)
        }
    }

    private static func started(
        _ steps: [ScriptedServer.Step],
        _ channel: any Channel,
        _ state: Watched<ScriptedServer.State>,
        after previous: Task<Void, Never>?
    ) -> Task<Void, Never> {
        // Owner: the handler. Ends with the script, or when the connection ends.
        Task { await Self.play(steps, channel, state, after: previous) }
    }

    @concurrent
    private static func play(
        _ steps: [ScriptedServer.Step],
        _ channel: any Channel,
        _ state: Watched<ScriptedServer.State>,
        after previous: Task<Void, Never>?
    ) async {
        await previous?.value
        do {
            for step in steps { try await Self.play(step, channel, state) }
        } catch {
            // The test decides whether a broken connection matters.
        }
    }

    @concurrent
    private static func play(
        _ step: ScriptedServer.Step,
        _ channel: any Channel,
        _ state: Watched<ScriptedServer.State>
    ) async throws {
        switch step {
        case .text(let text):
            try await channel.writeAndFlush(ByteBuffer(string: text))
        case .bytes(let bytes):
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        case .pattern(let range, let seed):
            for piece in self.pieces(range) {
                try await channel.writeAndFlush(
                    ByteBuffer(bytes: PatternBytes.bytes(in: piece, seed: seed))
                )
                state.update { $0.written += Int64(piece.count) }
            }
        case .chunkedPattern(let range, let seed):
            for piece in self.pieces(range) {
                var buffer = ByteBuffer(string: "\(String(piece.count, radix: 16))\r\n")
                buffer.writeBytes(PatternBytes.bytes(in: piece, seed: seed))
                buffer.writeString("\r\n")
                try await channel.writeAndFlush(buffer)
            }
        case .hold(let gate):
            try await gate.wait()
        case .stall:
            try await channel.closeFuture.get()
        case .close:
            try await channel.close()
        case .closeOutput:
            try await channel.close(mode: .output)
        case .cut:
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.context(name: SocketSide.name)
                    .close(promise: nil)
            }.get()
        }
    }

    private static func pieces(_ range: Range<Int64>) -> [Range<Int64>] {
        stride(from: range.lowerBound, to: range.upperBound, by: 32_768).map {
            $0..<min($0 + 32_768, range.upperBound)
        }
    }
}

/// The handler of a pipeline that is next to the socket.
private final class SocketSide: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    static let name = "socket"
}

extension ScriptedServer.Request {
    /// Splits a request's head into its lines.
    init(_ head: Substring, connection: Int, index: Int) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        self.init(
            method: String(words.first ?? ""),
            target: words.count > 1 ? String(words[1]) : "",
            headers: headers,
            connection: connection,
            index: index
        )
    }
}
