// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

/// One connection, from the question to its end.
extension StationCore {
    /// Asks, and feeds the ring until the connection is over or was left.
    func run(_ target: StationTarget, generation: UInt64, after loss: StationLoss?) async {
        do {
            let answer = try await self.transport.connect(to: target)
            // Whatever the way out, the transport gets its connection back.
            defer { answer.body.cancel() }
            try Task.checkCancellation()
            try await self.receive(answer, generation: generation, after: loss)
        } catch {
            // A connection that was left says nothing.
            guard !Task.isCancelled else { return }
            let failure = StationFailure(error, asking: self.transport.display)
            self.decide {
                $0.machine.failed(failure, generation: generation, now: self.timeline.elapsed())
            }
        }
    }

    private func receive(
        _ answer: StationAnswer,
        generation: UInt64,
        after loss: StationLoss?
    ) async throws {
        let info = StationInfo(
            headers: ICYHeaders(answer.fields),
            mediaType: answer.mediaType,
            display: answer.display
        )
        self.decide {
            $0.machine.answered(info, generation: generation, now: self.timeline.elapsed())
        }
        guard var feed = self.feed(info, loss, generation: generation) else { return }
        while let bytes = try await answer.body.next() {
            let now = self.timeline.elapsed()
            self.decide { $0.machine.bytesCame(generation: generation, now: now) }
            guard self.keep(feed.push(bytes), generation: generation) else { return }
            try await self.holdBack(generation)
        }
        try Task.checkCancellation()
        guard self.keep(feed.finish(), generation: generation) else { return }
        self.decide {
            $0.machine.bodyEnded(generation: generation, now: self.timeline.elapsed())
        }
    }

    /// A feed that goes on where the ring ends; `nil` if the connection was left.
    private func feed(_ info: StationInfo, _ loss: StationLoss?, generation: UInt64)
        -> StreamFeed?
    {
        self.writer.withLock { writer in
            guard writer.generation == generation else { return nil }
            let end = self.ring.end
            writer.origin = (info, loss)
            writer.join.begin(at: end)
            return StreamFeed(
                info,
                charset: self.options.charset,
                time: writer.time,
                position: end,
                limit: max(1 << 16, self.options.policy.garbageLimit)
            )
        }
    }

    /// Keeps what came.
    ///
    /// - Returns: whether more is wanted of this connection.
    private func keep(_ outcome: FeedOutcome, generation: UInt64) -> Bool {
        let now = self.timeline.elapsed()
        let isNews = self.writer.withLock { writer -> Bool? in
            guard writer.generation == generation else { return nil }
            let steps = writer.join.take(outcome.steps, now: now, lastWrite: writer.lastWrite)
            self.write(steps, &writer, now)
            if writer.join.isHolding, writer.settling == nil {
                writer.settling = self.settle(generation)
            }
            return !steps.isEmpty
        }
        guard let isNews else { return false }
        if outcome.sound > .zero {
            // What is left out proves as well that the station sends.
            self.decide {
                $0.machine.soundCame(outcome.sound, generation: generation, now: now)
            }
        }
        if isNews { self.news.raise() }
        switch outcome.verdict {
        case nil: return true
        case .playlist(let entries):
            self.decide {
                $0.machine.playlistCame(entries, generation: generation, now: now)
            }
        case .failure(let failure):
            self.decide { $0.machine.failed(failure, generation: generation, now: now) }
        }
        return false
    }

    /// Waits while the server is too far ahead of real time: it fills the connection, and then waits as well.
    ///
    /// - Throws: `CancellationError` when the connection is left.
    private func holdBack(_ generation: UInt64) async throws {
        while true {
            let wait = self.writer.withLock { writer in
                // A disk that failed leaves what is in memory.
                var limits = self.leadLimits
                if self.ring.diskTrouble != nil {
                    limits.byteCount = min(limits.byteCount, Int64(RingGeometry().memory / 2))
                }
                return writer.lead.wait(limits, now: self.timeline.elapsed())
            }
            guard wait > .zero else { return }
            // In steps, since the silence of a connection that is not read is no loss of it.
            try await self.timeline.sleep(min(wait, .seconds(1)))
            let now = self.timeline.elapsed()
            self.decide { $0.machine.heldBack(generation: generation, now: now) }
        }
    }

    /// Waits until a connection must have shown how it goes on from what is kept.
    private func settle(_ generation: UInt64) -> Task<Void, Never> {
        // Owned by this core, which cancels it when the connection is left; it ends when the time has passed.
        Task(executorPreference: self.options.executor) { [timeline] in
            do { try await timeline.sleep(ConnectionJoin.settling) } catch { return }
            let now = timeline.elapsed()
            self.writer.withLock { writer in
                guard writer.generation == generation else { return }
                self.write(writer.join.settle(now: now, isOver: false), &writer, now)
            }
            self.news.raise()
        }
    }

    /// The connection is left, and another one writes, or none: what is held back is kept first.
    func leaveWriter(to generation: UInt64) {
        let now = self.timeline.elapsed()
        self.writer.withLock { writer in
            self.write(writer.join.settle(now: now, isOver: true), &writer, now)
            writer.settling?.cancel()
            writer.settling = nil
            writer.generation = generation
            writer.isWriting = false
        }
        self.news.raise()
    }

    private func write(_ steps: [FeedStep], _ writer: inout Writer, _ now: Duration) {
        for step in steps {
            switch step {
            case .stretch(let container):
                guard let stretch = Self.stretch(container, writer) else { continue }
                self.ring.begin(stretch)
                writer.start = writer.time
                // Titles in the stream's own tags, as Ogg has them, are not among these.
                writer.title = nil
            case .link(let container, let head, let offset):
                self.ring.beginLink(container: container, head: head, headOffset: offset)
            case .bytes(let bytes):
                self.ring.append(bytes)
                writer.isWriting = true
                writer.wasIdle = false
                writer.bytesWithoutPacket += Int64(bytes.count)
            case .title(let metadata):
                self.ring.note(metadata, at: self.ring.end)
                if let title = metadata.title { writer.title = title.isEmpty ? nil : title }
            case .sign(let sign): self.ring.note(sign)
            case .packet(let packet):
                self.ring.note(packet.placed.packet, parts: packet.placed.parts)
                writer.time = packet.time + packet.duration
                writer.lastWrite = now
                writer.lead.came(packet.duration, byteCount: writer.bytesWithoutPacket, now: now)
                writer.bytesWithoutPacket = 0
            }
        }
    }

    /// The stretch with which a stream begins.
    private static func stretch(_ container: AudioContainer, _ writer: Writer) -> StreamStretch? {
        guard let origin = writer.origin else { return nil }
        // Where the stream became another in mid-connection, nothing is lost.
        let isAnother = writer.isWriting || writer.wasIdle
        let came = writer.join.stretchTime
        let gap = isAnother ? nil : writer.lastWrite.map { max(.zero, came - $0) }
        let cause: StreamStretch.Cause =
            writer.lastWrite == nil ? .joined : .reconnected(isAnother ? nil : origin.loss)
        return StreamStretch(
            cause: cause,
            info: origin.info,
            container: container,
            gap: gap ?? .zero
        )
    }
}
