// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Stands in the pipeline of what listens and lets accepting pause while the system has no descriptor left.
///
/// ``AcceptGate`` decides. The connection that does least, if there is one that may go, is closed, so that there is a
/// descriptor again.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let service: ConnectionService
    private let onEvent: (@Sendable (ProxyEvent) -> Void)?
    private var gate = AcceptGate()
    private var timer: Scheduled<Void>?

    init(service: ConnectionService, onEvent: (@Sendable (ProxyEvent) -> Void)?) {
        self.service = service
        self.onEvent = onEvent
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (bound, channel) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.channel)
        let isPaused = self.service.isAcceptingPaused
        self.service.registry.onDeparture {
            // Most connections end while nothing waits for that.
            guard isPaused.value.load(ordering: .relaxed) else { return }
            channel.eventLoop.execute { bound.value.goOn(channel) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.service.registry.onDeparture(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.gate.accepted()
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        guard let pause = self.gate.failed() else { return }
        let channel = context.channel
        self.service.isAcceptingPaused.value.store(true, ordering: .relaxed)
        Self.setReading(false, channel)
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(in: pause.time) {
            self.goOn(channel)
        }
        if pause.isFirst { self.onEvent?(.acceptingPaused(reason: Self.sentence)) }
        // If one goes, its end lets accepting go on.
        _ = self.service.registry.shed(at: context.eventLoop.now)
    }

    private func goOn(_ channel: any Channel) {
        guard self.gate.reopened() else { return }
        self.timer?.cancel()
        self.service.isAcceptingPaused.value.store(false, ordering: .relaxed)
        Self.setReading(true, channel)
    }

    private static func setReading(_ isReading: Bool, _ channel: any Channel) {
        // A channel that has been closed has no options, and reads nothing.
        _ = try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private static func isShortage(_ code: CInt) -> Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }

    private static let sentence =
        "No connection is accepted for a moment, because the system has no descriptor left for one; close some players,"
        + " or raise the limit of open files (ulimit -n)."
}

/// Whether accepting pauses, for those on other event loops.
final class AcceptingPaused: Sendable {
    let value = Atomic(false)
}

@available(*, unavailable)
extension AcceptPause: Sendable {}
