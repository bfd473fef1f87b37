// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirTestKit

/// One connection of a ``LoopbackServer``: cuts out the requests and plays the script of each.
final class LoopbackConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: Watched<LoopbackServer.State>
    private let script: @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step]
    private var number = 0
    private var text = ""
    private var player: Task<Void, Never>?

    init(
        _ state: Watched<LoopbackServer.State>,
        _ script: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step]
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
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.text += String(buffer: self.unwrapInboundIn(data))
        while let end = self.text.firstRange(of: "\r\n\r\n") {
            let head = self.text[..<end.lowerBound]
            let rest = self.text[end.upperBound...]
            let length = LoopbackServer.Request(head, connection: 0, index: 0)
                .headers["content-length"].flatMap(Int.init)
            guard rest.utf8.count >= length ?? 0 else { return }
            let body = String(rest.prefix(length ?? 0))
            self.text = String(rest.dropFirst(length ?? 0))
            let request = self.state.update { [number] state in
                var request = LoopbackServer.Request(
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
        _ steps: [LoopbackServer.Step],
        _ channel: any Channel,
        _ state: Watched<LoopbackServer.State>,
        after previous: Task<Void, Never>?
    ) -> Task<Void, Never> {
        // Owner: the handler. Ends with the script, or when the connection ends.
        Task { await Self.play(steps, channel, state, after: previous) }
    }

    @concurrent
    private static func play(
        _ steps: [LoopbackServer.Step],
        _ channel: any Channel,
        _ state: Watched<LoopbackServer.State>,
        after previous: Task<Void, Never>?
    ) async {
        await previous?.value
        do {
            for step in steps { try await Self.play(step, channel, state) }
        } catch {
            // A connection that breaks is the test's business.
        }
    }

    @concurrent
    private static func play(
        _ step: LoopbackServer.Step,
        _ channel: any Channel,
        _ state: Watched<LoopbackServer.State>
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
        }
    }

    private static func pieces(_ range: Range<Int64>) -> [Range<Int64>] {
        stride(from: range.lowerBound, to: range.upperBound, by: 32_768).map {
            $0..<min($0 + 32_768, range.upperBound)
        }
    }
}

extension LoopbackServer.Request {
    /// Cuts a request's head at its lines.
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
