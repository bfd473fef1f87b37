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

/// Pauses accepting on the listening channel while the system has no descriptor left.
///
/// ``AcceptGate`` decides about pauses. To free a descriptor, the handler closes the connection whose end does the
/// least harm, if one may be closed.
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
            // Most connections end while accepting is not paused.
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
        // The end of a connection that is closed here resumes accepting.
        _ = self.service.registry.shed(at: context.eventLoop.now)
    }

    private func goOn(_ channel: any Channel) {
        guard self.gate.reopened() else { return }
        self.timer?.cancel()
        self.service.registry.isAcceptingPaused.store(false, ordering: .relaxed)
        Self.setReading(true, channel)
    }

    private static func setReading(_ isReading: Bool, _ channel: any Channel) {
        // A closed channel has no options, and reads nothing.
        _ = try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private static func isShortage(_ code: CInt) -> Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }

    private static let sentence =
        "Weir accepts no connections for a moment, because the system has no free descriptor for one; close some"
        + " players, or raise the limit of open files (ulimit -n)."
}

@available(*, unavailable)
extension AcceptPause: Sendable {}

/// Decides when a proxy that cannot accept connections tries again.
///
/// The system keeps an unaccepted connection ready, and reports it again and again. An immediate retry would spend a
/// core on failing. So accepting pauses, and resumes when a connection has ended or after a while.
struct AcceptGate {
    /// The length of the first pause; it doubles with each pause until a connection is accepted.
    static let shortest = TimeAmount.milliseconds(50)
    /// The length of the longest pause.
    static let longest = TimeAmount.seconds(2)

    /// Whether accepting pauses now.
    private(set) var isPaused = false
    /// The number of pauses; only the first one is reported.
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

    /// A connection has ended, or the pause is over.
    ///
    /// - Returns: whether this call resumes accepting.
    mutating func reopened() -> Bool {
        defer { self.isPaused = false }
        return self.isPaused
    }
}

/// The last descriptors of the process, which no connection may take.
///
/// Other code needs them: the files of the cache, name look-ups, and the system's own library, which ends the process
/// if it gets no descriptor. A new descriptor gets the lowest free number. So a number close to the limit shows,
/// without counting, that nearly all are in use.
struct DescriptorReserve: Hashable, Sendable {
    /// The largest number of reserved descriptors.
    static let most = 16

    private let firstReserved: CInt

    /// Keeps an eighth of the descriptors back, ``most`` at most.
    ///
    /// - Parameter limit: the number of descriptors that the process may have.
    init(limit: UInt64) {
        let limit = CInt(clamping: limit)
        self.firstReserved = limit - min(limit / 8, CInt(Self.most))
    }

    /// The reserve for the current limit of the process.
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

    /// Whether this descriptor is one of the reserved ones.
    func holds(_ descriptor: CInt) -> Bool {
        descriptor >= self.firstReserved
    }
}
