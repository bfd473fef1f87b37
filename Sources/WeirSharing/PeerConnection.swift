// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// A connection between the owner of a cache directory and one of its users, for one request.
///
/// Either end leaves by closing the connection. Any task may send; one task reads.
final class PeerConnection: Sendable {
    private static let pulseTime = Duration.seconds(2)
    private static let longestSilence = Duration.seconds(10)

    private let channel: any FrameChannel
    private let timeline: Timeline
    /// The connections that end with this one.
    private let dependents = Mutex<(all: [Weak<PeerConnection>], isClosed: Bool)>(([], false))

    /// Takes over one end of a connection, which closes with the last reference to this object.
    init(_ channel: any FrameChannel, timeline: Timeline) {
        self.channel = channel
        self.timeline = timeline
    }

    /// Closes this connection, and those that depend on it.
    func close() {
        let dependents = self.dependents.withLock { dependents in
            dependents.isClosed = true
            defer { dependents.all = [] }
            return dependents.all
        }
        self.channel.close()
        for dependent in dependents { dependent.object?.close() }
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { self.dependents.withLock { $0.isClosed } }

    /// Makes another connection end with this one; closes it at once if this one is closed.
    func add(dependent connection: PeerConnection) {
        let isClosed = self.dependents.withLock { dependents in
            dependents.all.removeAll { $0.object == nil }
            if !dependents.isClosed { dependents.all.append(Weak(connection)) }
            return dependents.isClosed
        }
        if isClosed { connection.close() }
    }

    /// Regularly tells the other end that this end is alive, and closes the connection after a long
    /// silence.
    ///
    /// The other process then hangs or has gone. Returns after the silence, or when the task is
    /// cancelled; closes the connection in both cases.
    func keepAlive() async {
        while (try? await self.timeline.sleep(Self.pulseTime)) != nil,
            self.channel.silence < Self.longestSilence
        {
            self.beat()
        }
        self.close()
    }

    /// Regularly tells the other end that this end is alive, until the task is cancelled.
    func pulse() async {
        while (try? await self.timeline.sleep(Self.pulseTime)) != nil { self.beat() }
    }

    private func beat() { self.channel.offer(.message(Message.alive.encoded)) }

    /// Works for a limited time; closes the connection if the work takes longer.
    ///
    /// - Parameters:
    ///   - time: the limit.
    ///   - work: waits for the connection.
    /// - Returns: the result of `work`.
    /// - Throws: the error of `work`; ``PeerError/silent`` if it ended because of the limit.
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

    /// Sends a message; returns when the system has accepted it.
    ///
    /// - Throws: ``PeerError/disconnected``; `CancellationError`, which closes the connection.
    func send(_ message: Message) async throws {
        try await self.write(.message(message.encoded))
    }

    /// Tells the other end that its message is unreadable, and closes the connection.
    func refuse() async {
        try? await self.write(.message(Message.refusal))
        self.close()
    }

    /// Sends bytes of a resource; returns when the system has accepted them.
    ///
    /// So a slow reader slows the sender.
    func send(_ memory: ByteMemory) async throws {
        try await self.write(.bytes(memory))
    }

    private func write(_ frame: Frame) async throws {
        try await withTaskCancellationHandler {
            do {
                try await self.channel.send(frame)
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
    /// Cancelling the task closes the connection.
    func next() async -> Frame? {
        await self.channel.next()
    }

    /// The next frame, which must be a message.
    ///
    /// - Throws: ``PeerError/disconnected`` when the other end has gone or sends bytes instead;
    ///   `CacheError` like ``Message/init(decoding:)``; `CancellationError`.
    func message() async throws -> Message {
        guard case .message(let content)? = await self.next() else {
            try Task.checkCancellation()
            throw PeerError.disconnected
        }
        return try Message(decoding: content)
    }

    /// The next message; throws the error if the message reports one.
    func answer() async throws -> Message {
        let answer = try await self.message()
        if case .failure(let error) = answer { throw error }
        return answer
    }
}
