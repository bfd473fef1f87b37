// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirTestKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One connection of a ``RawServer``: cuts out the requests and plays the script of each.
final class RawConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: Watched<RawServer.State>
    private let script: @Sendable (RawServer.Request) -> [RawServer.Step]
    private var number = 0
    private var text = ""
    private var player: Task<Void, Never>?

    init(
        _ state: Watched<RawServer.State>,
        _ script: @escaping @Sendable (RawServer.Request) -> [RawServer.Step]
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
            self.text = String(self.text[end.upperBound...])
            let request = self.state.update { [number] state in
                let request = RawServer.Request(
                    head,
                    connection: number,
                    index: state.requests.count
                )
                state.requests.append(request)
                return request
            }
            let steps = self.script(request)
            self.player = Self.started(steps, context.channel, after: self.player)
        }
    }

    private static func started(
        _ steps: [RawServer.Step],
        _ channel: any Channel,
        after previous: Task<Void, Never>?
    ) -> Task<Void, Never> {
        // Owner: the handler. Ends with the script, or when the connection ends.
        Task { await Self.play(steps, channel, after: previous) }
    }

    @concurrent
    private static func play(
        _ steps: [RawServer.Step],
        _ channel: any Channel,
        after previous: Task<Void, Never>?
    ) async {
        await previous?.value
        do {
            for step in steps { try await Self.play(step, channel) }
        } catch {
            // A connection that breaks is the test's business.
        }
    }

    @concurrent
    private static func play(_ step: RawServer.Step, _ channel: any Channel) async throws {
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
        }
    }

    private static func pieces(_ range: Range<Int64>) -> [Range<Int64>] {
        stride(from: range.lowerBound, to: range.upperBound, by: 32_768).map {
            $0..<min($0 + 32_768, range.upperBound)
        }
    }
}

extension RawServer.Request {
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
