// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The state that all connections of a proxy share.
struct ConnectionService: Sendable {
    let rules: AccessRules
    let router: any ProxyRouter
    let registry: ConnectionRegistry
    let idleTimeout: TimeAmount
    /// How long a client takes no byte before its slot may be given away.
    let stallTime: TimeAmount
    /// How long a new client may take to send its first request.
    let firstRequestTime: TimeAmount
    /// How long a request waits for a slot.
    let slotPatience: TimeAmount
    let onEvent: (@Sendable (ProxyEvent) -> Void)?
    /// The addresses whose PROXY protocol header is believed.
    let balancers: [AddressRange]
    /// The connections whose PROXY protocol header has not come yet.
    let headers = ProxyHeaderQueue()
    /// Limits the rate of sending to clients; `nil`: there is no limit.
    var pace: SendingPace?
    /// Answers requests below `/page/`; `nil`: there are no pages.
    let pages: (any PageService)?
    /// The descriptors that no connection may take.
    let descriptors = DescriptorReserve()
    /// The time of day, in seconds since 1970.
    var timeOfDay: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// Finds out whether a client that sends no more has left.
    var clientSocket: @Sendable (any Channel) -> ClientSocket = ClientSocket.find

    /// What the connections of each event loop share.
    private let loopStates: [ObjectIdentifier: NIOLoopBoundBox<LoopState>]

    init(
        configuration: ProxyConfiguration,
        secret: ProxySecret?,
        router: any ProxyRouter,
        eventLoops: some Sequence<any EventLoop>,
        pages: (any PageService)? = nil,
        pass: (any AddressPass)? = nil,
        onEvent: (@Sendable (ProxyEvent) -> Void)?
    ) {
        self.rules = AccessRules(
            secret: secret,
            allowedHosts: configuration.allowedHosts + [configuration.host],
            allowedCrossOrigins: configuration.allowedCrossOrigins,
            servesPage: pages != nil,
            pass: pass
        )
        self.pages = pages
        self.router = router
        self.balancers = configuration.balancers
        self.pace = SendingPace(configuration.sendingLimits)
        let limits = configuration.slotLimits
        self.registry = ConnectionRegistry(limits)
        self.stallTime = limits.stallTime
        self.firstRequestTime = limits.firstRequestTime
        self.slotPatience = TimeAmount(configuration.slotPatience)
        self.idleTimeout = TimeAmount(min(max(configuration.idleTimeout, .zero), .seconds(86_400)))
        self.onEvent = onEvent
        self.loopStates = Dictionary(
            eventLoops.map {
                (ObjectIdentifier($0), .makeBoxSendingValue(LoopState(), eventLoop: $0))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// What the connections of an event loop share.
    func loopState(of eventLoop: any EventLoop) -> NIOLoopBoundBox<LoopState> {
        self.loopStates[ObjectIdentifier(eventLoop)]
            ?? .makeBoxSendingValue(LoopState(), eventLoop: eventLoop)
    }
}

/// What the connections of an event loop share.
struct LoopState {
    /// A buffer in which small responses are put together one after the other; `nil` while it is
    /// lent.
    ///
    /// It is free again when the system has taken the response, nearly always at once.
    var buffer: ByteBuffer?
    /// The socket of the last response that began with held bytes.
    ///
    /// Another connection may have its number by now: that costs speed only.
    var lastSocket: DirectSocket?
}

extension NIOLoopBoundBox where Value == LoopState {
    /// Lends the buffer, empty and with room for `capacity` bytes.
    func withBuffer<Result>(
        capacity: Int,
        _ body: (inout ByteBuffer) -> Result
    ) -> Result {
        // The buffer leaves the box: if the box were a second owner, the first write would copy the
        // buffer. A channel that still sends the last response is a second owner, too; clearing
        // then allocates new memory.
        var buffer = self.value.buffer ?? ByteBuffer()
        self.value.buffer = nil
        buffer.clear(minimumCapacity: capacity)
        defer { self.value.buffer = buffer }
        return body(&buffer)
    }
}

/// Runs the tasks of a connection on the connection's event loop.
///
/// So a chunk goes from the source into the socket without a change of threads. The task needs no
/// lock for the state of its connection.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.eventLoop.execute {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
