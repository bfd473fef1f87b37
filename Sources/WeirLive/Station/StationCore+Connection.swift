// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

/// One connection, from its request to its end.
extension StationCore {
    /// Connects, and feeds the ring until the connection ends or the station leaves it.
    func run(_ target: StationTarget, generation: UInt64, after loss: StationError?) async {
        do {
            let answer = try await self.transport.connect(to: target)
            // However this function ends, the transport gets its connection back.
            defer { answer.body.cancel() }
            try Task.checkCancellation()
            try await self.receive(answer, generation: generation, after: loss)
        } catch {
            // A connection that the station left reports nothing.
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
        after loss: StationError?
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

    /// A feed that continues at the end of the ring; `nil` if the station has left the connection.
    private func feed(_ info: StationInfo, _ loss: StationError?, generation: UInt64)
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

    /// Keeps the sound of a feed's outcome.
    ///
    /// - Returns: whether the connection must be read further.
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
            // Sound that is left out also proves that the station sends.
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

    /// Waits while the server is too far ahead of real time: the socket buffers fill, and the
    /// server waits, too.
    ///
    /// - Throws: `CancellationError` when the station leaves the connection.
    private func holdBack(_ generation: UInt64) async throws {
        while true {
            let wait = self.writer.withLock { writer in
                // After a disk failure only the bytes in memory remain.
                var limits = self.leadLimits
                if self.ring.diskTrouble != nil {
                    limits.byteCount = min(limits.byteCount, Int64(RingGeometry().memory / 2))
                }
                return writer.lead.wait(limits, now: self.timeline.elapsed())
            }
            guard wait > .zero else { return }
            // The wait has short steps. After each, the machine learns that the connection is
            // silent only because it is not read.
            try await self.timeline.sleep(min(wait, .seconds(1)))
            let now = self.timeline.elapsed()
            self.decide { $0.machine.heldBack(generation: generation, now: now) }
        }
    }

    /// Starts a task that waits, and then makes the join decide how the connection continues the
    /// kept stream.
    private func settle(_ generation: UInt64) -> Task<Void, Never> {
        // Owned by this core, which cancels it when the station leaves the connection; it ends when
        // the time has passed.
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

    /// The station leaves the connection: keeps its held-back bytes, then lets the connection
    /// `generation` write.
    ///
    /// - Parameter generation: the number of the next connection; 0: no connection.
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
                // This does not affect titles in the stream's own tags, as Ogg has them.
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

    /// The stretch at the beginning of a stream.
    private static func stretch(_ container: AudioContainer, _ writer: Writer) -> StreamStretch? {
        guard let origin = writer.origin else { return nil }
        // When the stream changed within a connection, nothing is lost.
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
