// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Synchronization
import WeirSource

/// A connection between the owner of a cache directory and a user of it, for one thing that is asked.
///
/// Either end leaves by closing it. May be sent on from any task; is read by one.
final class FrameChannel: Sendable {
    private let channel: any Channel
    private let inbox: FrameInbox

    private init(_ channel: any Channel, _ inbox: FrameInbox) {
        self.channel = channel
        self.inbox = inbox
    }

    deinit {
        self.channel.close(promise: nil)
    }

    /// Sets a new channel up, on its event loop.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - longestMessage: what is longer ends the connection, in bytes.
    /// - Returns: the connection.
    static func wrap(_ channel: any Channel, longestMessage: Int) -> EventLoopFuture<FrameChannel> {
        channel.eventLoop.makeCompletedFuture {
            let inbox = FrameInbox()
            try channel.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(FrameDecoder(longestMessage: longestMessage)), FrameEncoder(),
                inbox,
            ])
            return FrameChannel(channel, inbox)
        }
    }

    /// Leaves.
    func close() {
        self.channel.close(promise: nil)
    }

    /// Tells the other end every now and then that this one is there, and leaves when the other has not said so for
    /// long.
    ///
    /// Its process hangs then. Returns when the task is cancelled, or the connection has ended.
    func keepAlive() async {
        while (try? await Task.sleep(for: Self.pulseTime)) != nil,
            self.inbox.silence < Self.patience
        {
            self.beat()
        }
        self.close()
    }

    /// Tells the other end every now and then that this one is there, until the task is cancelled.
    func pulse() async {
        while (try? await Task.sleep(for: Self.pulseTime)) != nil { self.beat() }
    }

    /// Does not wait for an end that takes nothing.
    private func beat() {
        guard self.channel.isWritable,
            let data = try? JSONEncoder().encode(OwnerAnswer.alive)
        else { return }
        self.channel.writeAndFlush(Frame.message(ByteBuffer(bytes: data)), promise: nil)
    }

    private static let pulseTime = Duration.seconds(2)
    private static let patience = Duration.seconds(10)

    /// Leaves after a time, unless what is returned is cancelled before.
    ///
    /// - Parameters:
    ///   - time: how long from now.
    ///   - passed: is called when it has passed, before the connection is closed.
    /// - Returns: what can be cancelled.
    func close(
        after time: TimeAmount,
        _ passed: @escaping @Sendable () -> Void = {}
    ) -> Scheduled<Void> {
        self.channel.eventLoop.scheduleTask(in: time) { [weak self] in
            passed()
            self?.close()
        }
    }

    /// Sends a message; returns when the system has taken it.
    ///
    /// - Throws: ``Interruption`` when the other end has gone; `CancellationError`, which closes the connection.
    func send(_ message: some Encodable & Sendable) async throws {
        let data = try JSONEncoder().encode(message)
        try await self.write(.message(ByteBuffer(bytes: data)))
    }

    /// Sends bytes of a resource; returns when the system has taken them, so that a slow reader slows the sender.
    func send(_ memory: ByteMemory) async throws {
        if let buffer = memory.owner as? ByteBuffer,
            let slice = buffer.getSlice(
                at: buffer.readerIndex + memory.bounds.lowerBound,
                length: memory.count
            )
        {
            return try await self.write(.bytes(slice))
        }
        try await self.write(.bytes(memory.withUnsafeBytes { ByteBuffer(bytes: $0) }))
    }

    private func write(_ frame: Frame) async throws {
        try await withTaskCancellationHandler {
            do {
                try await self.channel.writeAndFlush(frame).get()
            } catch {
                if Task.isCancelled { throw CancellationError() }
                throw Interruption()
            }
        } onCancel: {
            self.close()
        }
    }

    /// The next frame; `nil` when the other end has gone.
    ///
    /// A task that is cancelled closes the connection.
    func next() async -> Frame? {
        await self.inbox.next(from: self.channel)
    }

    /// The next frame, which must be a message.
    ///
    /// - Throws: ``Interruption`` when the other end has gone or sends bytes instead; what ``decode(_:from:)`` throws.
    func message<Message: Decodable>(_ type: Message.Type) async throws -> Message {
        guard case .message(let buffer)? = await self.next() else {
            try Task.checkCancellation()
            throw Interruption()
        }
        return try Self.decode(type, from: buffer)
    }

    /// The next answer, which is an error if the other end says so.
    func answer() async throws -> OwnerAnswer {
        let answer = try await self.message(OwnerAnswer.self)
        if case .failure(let failure) = answer { throw failure.error }
        return answer
    }

    /// Reads a message.
    ///
    /// - Throws: `CacheError` with `inUse` if it is none that this version knows: asking again would not help.
    static func decode<Message: Decodable>(_ type: Message.Type, from buffer: ByteBuffer) throws
        -> Message
    {
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch {
            throw OwnerRequest.otherVersion
        }
    }
}
