// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirSharing
import WeirSource

/// A connection between two processes over a Unix socket.
final class SocketChannel: FrameChannel {
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
    ///   - longestMessage: the maximum size of a message in bytes; a longer one ends the
    ///     connection.
    ///   - timeline: measures the silence of the other end.
    /// - Returns: the connection.
    static func wrap(
        _ channel: any Channel,
        longestMessage: Int,
        timeline: Timeline
    ) -> EventLoopFuture<SocketChannel> {
        channel.eventLoop.makeCompletedFuture {
            let inbox = FrameInbox(timeline)
            try channel.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(FrameDecoder(longestMessage: longestMessage)), FrameEncoder(),
                inbox,
            ])
            return SocketChannel(channel, inbox)
        }
    }

    func send(_ frame: Frame) async throws {
        try await self.channel.writeAndFlush(OutboundFrame(frame)).get()
    }

    func offer(_ frame: Frame) {
        guard self.channel.isWritable else { return }
        self.channel.writeAndFlush(OutboundFrame(frame), promise: nil)
    }

    func next() async -> Frame? { await self.inbox.next(from: self.channel) }

    var silence: Duration { self.inbox.silence }

    func close() { self.channel.close(promise: nil) }
}

/// Reads from a channel only while a task waits; all other bytes stay with the sender.
///
/// One consumer, one call at a time.
private final class FrameInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = Frame

    private struct State {
        var frames: [Frame] = []
        var waiter: CheckedContinuation<Frame?, Never>?
        var isEnded = false
        /// When the last bytes arrived.
        var heard: Duration
    }

    private let timeline: Timeline
    private let state: Mutex<State>

    init(_ timeline: Timeline) {
        self.timeline = timeline
        self.state = Mutex(State(heard: timeline.elapsed()))
    }

    /// The next frame, after requesting it from the channel.
    ///
    /// `nil` when the other end has gone or has sent bytes that are not a frame.
    func next(from channel: any Channel) async -> Frame? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let frame: Frame??
                frame = self.state.withLock { state in
                    if !state.frames.isEmpty { return .some(state.frames.removeFirst()) }
                    if state.isEnded || Task.isCancelled { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let frame { continuation.resume(returning: frame) } else { channel.read() }
            }
        } onCancel: {
            self.end()
            channel.close(promise: nil)
        }
    }

    /// How long ago the last bytes arrived.
    var silence: Duration { self.timeline.elapsed() - self.state.withLock { $0.heard } }

    /// Whether a task waits for a frame.
    private var isAwaited: Bool { self.state.withLock { $0.waiter != nil } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = self.unwrapInboundIn(data)
        let now = self.timeline.elapsed()
        let waiter = self.state.withLock { state in
            state.heard = now
            let waiter = state.waiter
            state.waiter = nil
            if waiter == nil, !state.isEnded { state.frames.append(frame) }
            return waiter
        }
        waiter?.resume(returning: frame)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Only a part of a frame has arrived.
        if self.isAwaited { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.end()
        context.close(promise: nil)
    }

    /// Accepts no more frames; frames that have arrived can still be taken.
    private func end() {
        let waiter = self.state.withLock { state in
            state.isEnded = true
            let waiter = state.waiter
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: nil)
    }
}
