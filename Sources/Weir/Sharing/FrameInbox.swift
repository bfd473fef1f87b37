// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Reads from a channel only what somebody waits for: what nobody takes stays with the sender.
///
/// One consumer, one call at a time.
final class FrameInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = Frame

    private struct State {
        var frames: [Frame] = []
        var waiter: CheckedContinuation<Frame?, Never>?
        var isEnded = false
        /// When the other end was last heard.
        var heard = SuspendingClock.now
    }

    private let state = Mutex(State())

    /// The next frame, after asking the channel for it; `nil` when the other end has gone or made no sense.
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

    /// How long nothing has come.
    var silence: Duration { self.state.withLock { $0.heard.duration(to: .now) } }

    /// Whether somebody waits for a frame.
    private var isAwaited: Bool { self.state.withLock { $0.waiter != nil } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = self.unwrapInboundIn(data)
        let waiter = self.state.withLock { state in
            state.heard = .now
            let waiter = state.waiter
            state.waiter = nil
            if waiter == nil, !state.isEnded { state.frames.append(frame) }
            return waiter
        }
        waiter?.resume(returning: frame)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Half a frame has come.
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

    /// What has come may still be taken; nothing more comes.
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
