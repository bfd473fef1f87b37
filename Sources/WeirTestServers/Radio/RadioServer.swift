// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization
import WeirTestKit

/// A radio station on loopback that breaks the rules of HTTP, as real stations do, and as a test
/// wants.
///
/// It sends the files of its programme over and over, at a pace or as fast as the client reads. Its
/// list of behaviours says how it behaves on each connection. `/listen.pls` and `/listen.m3u` are
/// playlists, `/missing` does not exist, and every other path is the stream. ``record`` has every
/// request, and ``audio(of:)`` the exact sound that was sent.
public final class RadioServer: Sendable {
    /// The state that changes while the station runs.
    struct State: Sendable {
        var machine: RadioMachine
        var record: [RecordedConnection] = []
        var feeds: [RadioFeed?] = []
        /// How many requests have been removed from the record.
        var cleared = 0
        var port = 0
        var isListening = false
        var controlURL: String?
    }

    /// The sockets and the thread that must be closed.
    private struct Sockets {
        var group: MultiThreadedEventLoopGroup?
        var listener: (any Channel)?
        var connections: [ObjectIdentifier: any Channel] = [:]
        var hasStarted = false
    }

    let state: Watched<State>
    private let now: @Sendable () -> Double
    private let sockets = Mutex(Sockets())

    /// Makes a station; ``start(withControl:)`` puts it on the air.
    ///
    /// - Parameters:
    ///   - programme: the content, and its pace.
    ///   - behaviours: the behaviours of the connections, in order; the last one applies to all
    ///     later connections.
    ///   - now: the time, in Unix seconds, by which tokens expire and a live station advances;
    ///     called on any thread.
    public init(
        _ programme: RadioProgramme,
        behaviours: [RadioBehaviour] = [RadioBehaviour()],
        now: @escaping @Sendable () -> Double = { WallClock.unixSeconds }
    ) {
        self.state = Watched(State(machine: RadioMachine(programme, behaviours)))
        self.now = now
    }

    /// Goes on the air, at a port that the system assigns.
    ///
    /// - Parameter withControl: whether there is a second listener, at ``controlURL``, through
    ///   which other programs read the record and set the behaviours.
    /// - Throws: the error of the system.
    public func start(withControl: Bool = false) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isFirst = self.sockets.withLock { sockets in
            defer { sockets.hasStarted = true }
            if !sockets.hasStarted { sockets.group = group }
            return !sockets.hasStarted
        }
        precondition(isFirst, "a station is started once")
        let began = self.now()
        self.state.update { $0.machine.began = began }
        do {
            try await self.listen()
            if withControl {
                let authority = try await self.controlService.listen(on: group)
                self.state.update { $0.controlURL = "http://\(authority)" }
            }
        } catch {
            await self.shutdown()
            throw error
        }
    }

    /// Closes everything; may be called any number of times.
    public func shutdown() async {
        let group = self.sockets.withLock { sockets in
            defer { sockets.group = nil }
            return sockets.group
        }
        try? await group?.shutdownGracefully()
    }

    /// Runs a station while a closure runs.
    ///
    /// - Parameter body: gets the station while it is on the air.
    /// - Returns: the closure's result.
    /// - Throws: the error of the system or of the closure.
    public func run<Result: Sendable>(
        _ body: (RadioServer) async throws -> Result
    ) async throws -> Result {
        try await self.start()
        do {
            let result = try await body(self)
            await self.shutdown()
            return result
        } catch {
            await self.shutdown()
            throw error
        }
    }

    // MARK: While it runs

    /// Accepts connections, also again after ``refuse()``, at the same port.
    ///
    /// - Throws: the error of the system.
    public func listen() async throws {
        guard let group = self.sockets.withLock({ $0.listener == nil ? $0.group : nil }) else {
            return
        }
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: 32 * 1024, high: 64 * 1024)
            )
            .childChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let self else { throw ChannelError.ioOnClosedChannel }
                    self.opened(channel)
                    try channel.pipeline.syncOperations.addHandler(self.connection())
                }
            }
            .bind(host: "127.0.0.1", port: self.state.value.port).get()
        self.sockets.withLock { $0.listener = channel }
        let port = channel.localAddress?.port ?? 0
        self.state.update { state in
            state.port = port
            state.isListening = true
            state.machine.authority = "127.0.0.1:\(port)"
        }
    }

    /// Accepts no more connections: the system refuses new ones, and open ones continue.
    public func refuse() async {
        let listener = self.sockets.withLock { sockets in
            defer { sockets.listener = nil }
            return sockets.listener
        }
        try? await listener?.close()
        self.state.update { $0.isListening = false }
    }

    /// Closes all connections, at once.
    public func closeConnections() {
        for channel in self.sockets.withLock({ Array($0.connections.values) }) {
            channel.close(promise: nil)
        }
    }

    /// Ends all stalls that have no end of their own.
    public func endStalls() {
        for channel in self.sockets.withLock({ Array($0.connections.values) }) {
            channel.pipeline.fireUserInboundEventTriggered(RadioConnection.StallsEnded())
        }
    }

    private func opened(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        self.sockets.withLock { $0.connections[id] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.sockets.withLock { $0.connections[id] = nil }
        }
    }

    private func connection() -> RadioConnection {
        let (state, now) = (self.state, self.now)
        return RadioConnection(
            answer: { request in
                let time = now()
                return state.update { $0.answer(request, now: time) }
            },
            bytesLeft: { number, count, audioCount in
                state.update { $0.sent(number, count: count, audioCount: audioCount) }
            },
            ended: { [weak self] number in
                guard let seconds = state.update({ $0.ended(number) }) else { return }
                self?.refuse(for: seconds)
            }
        )
    }

    /// Accepts no connections for some time.
    private func refuse(for seconds: Double) {
        guard let group = self.sockets.withLock({ $0.group }) else { return }
        // Owner: this object. Ends when the listener is closed, after one system call.
        Task {
            await self.refuse()
            group.any().scheduleTask(in: .milliseconds(Int64(min(seconds, 1e6) * 1000))) {
                [weak self] in
                // Owner: this object. Ends when the station listens; without the group it does
                // nothing.
                Task { try? await self?.listen() }
            }
        }
    }
}

/// The changes that the connections of a station make.
extension RadioServer.State {
    mutating func answer(_ request: ServerRequest, now: Double)
        -> (number: Int, answer: RadioAnswer)
    {
        let answer = self.machine.answer(request, now: now)
        self.feeds.append(answer.sending?.feed)
        self.record.append(
            RecordedConnection(
                number: self.record.count,
                method: request.method,
                target: request.target,
                headers: request.fields,
                time: now,
                status: answer.status,
                behaviour: answer.behaviour,
                audioStart: answer.sending?.feed.start ?? 0
            )
        )
        return (self.cleared + self.record.count - 1, answer)
    }

    mutating func sent(_ number: Int, count: Int, audioCount: Int) {
        let index = number - self.cleared
        guard self.record.indices.contains(index) else { return }
        self.record[index].sentByteCount += Int64(count)
        self.record[index].audioBytesSent += Int64(audioCount)
        if audioCount > 0 {
            let garbage = self.record[index].behaviour?.garbage ?? 0
            let sound = max(0, self.record[index].audioBytesSent - garbage)
            self.machine.followed = self.record[index].audioStart + sound
        }
    }

    /// Records that a connection has ended.
    ///
    /// - Returns: for how many seconds no other connection may be accepted.
    mutating func ended(_ number: Int) -> Double? {
        let index = number - self.cleared
        guard self.record.indices.contains(index) else { return nil }
        self.record[index].hasEnded = true
        return self.record[index].behaviour?.last {
            if case .refuse(let seconds) = $0 { seconds } else { nil }
        }
    }

    mutating func clearRecord() {
        self.cleared += self.record.count
        self.record = []
        self.feeds = []
    }
}
