// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirCache
import WeirSource

/// Why a process cannot go on with another one.
enum PeerError: Error {
    /// The other process has gone, or broke off; another attempt may find another one.
    case disconnected
    /// The other process is there and does not answer.
    case silent
}

/// A connection between the owner of a cache directory and a user of it, for one request.
///
/// Either end leaves by closing it. May be sent on from any task; is read by one.
final class PeerConnection: Sendable {
    private static let pulseTime = Duration.seconds(2)
    private static let longestSilence = Duration.seconds(10)

    private let channel: any Channel
    private let inbox: FrameInbox
    private let timeline: Timeline
    /// The connections that end with this one.
    private let dependents = Mutex<(all: [Weak<PeerConnection>], isClosed: Bool)>(([], false))

    private init(_ channel: any Channel, _ inbox: FrameInbox, _ timeline: Timeline) {
        self.channel = channel
        self.inbox = inbox
        self.timeline = timeline
    }

    deinit {
        self.channel.close(promise: nil)
    }

    /// Sets a new channel up, on its event loop.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - longestMessage: a longer one ends the connection, in bytes.
    ///   - timeline: measures silences.
    /// - Returns: the connection.
    static func wrap(
        _ channel: any Channel,
        longestMessage: Int,
        timeline: Timeline
    ) -> EventLoopFuture<PeerConnection> {
        channel.eventLoop.makeCompletedFuture {
            let inbox = FrameInbox(timeline)
            try channel.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(FrameDecoder(longestMessage: longestMessage)), FrameEncoder(),
                inbox,
            ])
            return PeerConnection(channel, inbox, timeline)
        }
    }

    /// Leaves, and ends the connections that depend on this one.
    func close() {
        let dependents = self.dependents.withLock { dependents in
            dependents.isClosed = true
            defer { dependents.all = [] }
            return dependents.all
        }
        self.channel.close(promise: nil)
        for dependent in dependents { dependent.object?.close() }
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { self.dependents.withLock { $0.isClosed } }

    /// Ends another connection with this one; at once if this one was closed.
    func add(dependent connection: PeerConnection) {
        let isClosed = self.dependents.withLock { dependents in
            dependents.all.removeAll { $0.object == nil }
            if !dependents.isClosed { dependents.all.append(Weak(connection)) }
            return dependents.isClosed
        }
        if isClosed { connection.close() }
    }

    /// Tells the other end every now and then that this one is there, and leaves when the other has not said so for
    /// long.
    ///
    /// Its process hangs then. Returns when the task is cancelled, or the connection has ended.
    func keepAlive() async {
        while (try? await self.timeline.sleep(Self.pulseTime)) != nil,
            self.inbox.silence < Self.longestSilence
        {
            self.beat()
        }
        self.close()
    }

    /// Tells the other end every now and then that this one is there, until the task is cancelled.
    func pulse() async {
        while (try? await self.timeline.sleep(Self.pulseTime)) != nil { self.beat() }
    }

    /// Does not wait for an end that takes nothing.
    private func beat() {
        guard self.channel.isWritable else { return }
        self.channel.writeAndFlush(Frame.message(Message.alive.encoded), promise: nil)
    }

    /// Works for some time at most, and then closes the connection.
    ///
    /// - Parameters:
    ///   - time: how long.
    ///   - work: waits for the connection.
    /// - Returns: what `work` returned.
    /// - Throws: what `work` threw; ``PeerError/silent`` if it ended because the time had passed.
    func within<Result>(_ time: Duration, _ work: () async throws -> Result) async throws -> Result
    {
        let hasPassed = Atomic(false)
        // Owned by this call, which cancels it; ends after the time.
        let deadline = Task { [timeline, weak self] in
            guard (try? await timeline.sleep(time)) != nil else { return }
            hasPassed.store(true, ordering: .relaxed)
            self?.close()
        }
        defer { deadline.cancel() }
        do {
            return try await work()
        } catch PeerError.disconnected where hasPassed.load(ordering: .relaxed) {
            throw PeerError.silent
        }
    }

    /// Sends a message; returns when the system has taken it.
    ///
    /// - Throws: ``PeerError/disconnected``; `CancellationError`, which closes the connection.
    func send(_ message: Message) async throws {
        try await self.write(.message(message.encoded))
    }

    /// Tells the other end that its message cannot be read, and leaves.
    func refuse() async {
        try? await self.write(.message(Message.refusal))
        self.close()
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
                throw PeerError.disconnected
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
    /// - Throws: ``PeerError/disconnected`` when the other end has gone or sends bytes instead; `CacheError` as
    ///   ``Message/init(decoding:)``; `CancellationError`.
    func message() async throws -> Message {
        guard case .message(let content)? = await self.next() else {
            try Task.checkCancellation()
            throw PeerError.disconnected
        }
        return try Message(decoding: content)
    }

    /// The next message, which is thrown if it is an error.
    func answer() async throws -> Message {
        let answer = try await self.message()
        if case .failure(let error) = answer { throw error }
        return answer
    }
}

/// Reads from a channel only what a task waits for: what no task takes stays with the sender.
///
/// One consumer, one call at a time.
private final class FrameInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = Frame

    private struct State {
        var frames: [Frame] = []
        var waiter: CheckedContinuation<Frame?, Never>?
        var isEnded = false
        /// When the other end was last heard.
        var heard: Duration
    }

    private let timeline: Timeline
    private let state: Mutex<State>

    init(_ timeline: Timeline) {
        self.timeline = timeline
        self.state = Mutex(State(heard: timeline.elapsed()))
    }

    /// The next frame, after asking the channel for it; `nil` when the other end has gone or sent what is no frame.
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
