// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix

/// The bytes that users of commit 4550d8f sent to an owner, from `Fixtures/format-1/wire.json`.
struct RecordedWire {
    /// A connection: all bytes that the user sent.
    struct Connection: Decodable {
        private var user: Data

        var request: [UInt8] { Array(self.user) }

        /// The kind of the first message: `use`, `read`, `supply`, or a command's name.
        var asked: String { RecordedWire.asked(self.request) ?? "" }
    }

    static let conversations: [String: [Connection]] = {
        do {
            let file = URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/format-1/wire.json")
            return try JSONDecoder().decode(
                [String: [Connection]].self,
                from: Data(contentsOf: file)
            )
        } catch {
            preconditionFailure("the recorded conversations cannot be read: \(error)")
        }
    }()

    /// The JSON of the first message, once all of it has arrived.
    static func firstMessage(of bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 5, bytes[0] == 1 else { return nil }
        let length = bytes[1..<5].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count >= 5 + length ? Array(bytes[5..<5 + length]) : nil
    }

    /// The kind of the first message.
    static func asked(_ bytes: [UInt8]) -> String? {
        guard let message = Self.firstMessage(of: bytes),
            let request = try? JSONSerialization.jsonObject(with: Data(message)) as? [String: Any],
            let kind = request["kind"] as? [String: Any], let name = kind.keys.first
        else { return nil }
        guard name == "command", let command = kind[name] as? [String: Any],
            let content = command["_0"] as? [String: Any]
        else { return name }
        return content.keys.first
    }
}

/// A connection of a user without this version's code: bytes out, bytes in.
actor RawConnection {
    private let channel: any Channel
    private let pieces: AsyncStream<[UInt8]>
    private var heard: [UInt8] = []

    /// Connects to the owner of a directory.
    init(directory: String) async throws {
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        self.pieces = pieces
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Ear(continuation))
                }
            }
            .connect(unixDomainSocketPath: "\(directory)/owner.socket").get()
    }

    /// Sends bytes.
    func say(_ bytes: [UInt8]) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// All bytes received, once they are enough or the owner has closed the connection.
    func hear(until isEnough: @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        if isEnough(self.heard) { return self.heard }
        for await piece in self.pieces {
            self.heard += piece
            if isEnough(self.heard) { break }
        }
        return self.heard
    }

    func close() {
        self.channel.close(promise: nil)
    }

    private final class Ear: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<[UInt8]>.Continuation

        init(_ continuation: AsyncStream<[UInt8]>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.continuation.yield(Array(self.unwrapInboundIn(data).readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.continuation.finish()
        }
    }
}

/// An owner of another version, which answers every first message in the same way.
struct OtherOwner: Sendable {
    private let server: any Channel

    /// Listens in a directory instead of the owner.
    ///
    /// - Parameters:
    ///   - directory: the cache folder, which another cache must have locked.
    ///   - answer: gives the response to the content of a first message.
    /// - Throws: the system's errors.
    init(
        directory: String,
        answer: @escaping @Sendable (_ message: [UInt8]) -> [UInt8]
    ) async throws {
        self.server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(unixDomainSocketPath: "\(directory)/owner.socket").get()
    }

    func close() async {
        try? await self.server.close()
    }

    /// Waits for a whole message, answers it, and stays connected until the user leaves.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: @Sendable ([UInt8]) -> [UInt8]
        private var request: [UInt8] = []
        private var hasAnswered = false

        init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.request += Array(self.unwrapInboundIn(data).readableBytesView)
            guard !self.hasAnswered, let message = RecordedWire.firstMessage(of: self.request)
            else { return }
            self.hasAnswered = true
            let bytes = ByteBuffer(bytes: self.answer(message))
            context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
        }
    }
}
