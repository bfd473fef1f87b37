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
        let registry = self.service.registry
        registry.onDeparture { [unowned registry] in
            // Most connections end while nothing waits for that.
            guard registry.isAcceptingPaused.load(ordering: .relaxed) else { return }
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
        self.service.registry.isAcceptingPaused.store(true, ordering: .relaxed)
        Self.setReading(false, channel)
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            self.goOn(channel)
        }
        if self.gate.pauseCount == 1 { self.onEvent?(.acceptingPaused(reason: Self.sentence)) }
        // If one goes, its end lets accepting go on.
        _ = self.service.registry.shed(at: context.eventLoop.now)
    }

    private func goOn(_ channel: any Channel) {
        guard self.gate.reopened() else { return }
        self.timer?.cancel()
        self.service.registry.isAcceptingPaused.store(false, ordering: .relaxed)
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

@available(*, unavailable)
extension AcceptPause: Sendable {}

/// Decides when a proxy that cannot accept connections tries again.
///
/// The system keeps a connection that is not accepted ready, and says so for as long as it is: to try again at once would
/// spend a core on failing. So accepting pauses, and goes on when a connection has ended or after a while.
struct AcceptGate {
    /// How long the first pause is; each that follows, without a connection accepted between, is twice as long.
    static let shortest = TimeAmount.milliseconds(50)
    /// How long a pause is at most.
    static let longest = TimeAmount.seconds(2)

    /// Whether nothing is accepted now.
    private(set) var isPaused = false
    /// How often accepting has paused: the first pause is told, and no other.
    private(set) var pauseCount = 0
    private var next = AcceptGate.shortest

    /// A connection could not be accepted, or had to be closed at once.
    ///
    /// - Returns: how long accepting pauses; `nil` if it pauses already.
    mutating func failed() -> TimeAmount? {
        guard !self.isPaused else { return nil }
        defer {
            self.isPaused = true
            self.pauseCount += 1
            self.next = min(self.next + self.next, Self.longest)
        }
        return self.next
    }

    /// A connection was accepted.
    mutating func accepted() {
        self.next = Self.shortest
    }

    /// A connection has ended, or the pause has.
    ///
    /// - Returns: whether accepting goes on with this.
    mutating func reopened() -> Bool {
        defer { self.isPaused = false }
        return self.isPaused
    }
}

/// The last descriptors of the process, which no connection may take.
///
/// Others need them: a file of the cache, a name server, and the system's own library, which ends the process where it
/// gets none. A new descriptor has the lowest number that is free, so one close to the limit tells that nearly all are in
/// use, without counting.
struct DescriptorReserve: Hashable, Sendable {
    /// The most that are kept back.
    static let most = 16

    private let firstReserved: CInt

    /// Keeps an eighth of the descriptors back, ``most`` at most.
    ///
    /// - Parameter limit: how many the process may have.
    init(limit: UInt64) {
        let limit = CInt(clamping: limit)
        self.firstReserved = limit - min(limit / 8, CInt(Self.most))
    }

    /// The reserve by the limit that the process has now.
    init() {
        #if canImport(Darwin) || canImport(Musl)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        let isKnown = getrlimit(resource, &limit) == 0
        self.init(limit: isKnown ? UInt64(limit.rlim_cur) : .max)
    }

    /// Whether a connection with this descriptor takes one of the last.
    func holds(_ descriptor: CInt) -> Bool {
        descriptor >= self.firstReserved
    }
}
