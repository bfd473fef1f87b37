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
        guard var feed = self.feed(info, generation: generation) else { return }
        while let bytes = try await answer.body.next() {
            let now = self.timeline.elapsed()
            self.decide { $0.machine.bytesCame(generation: generation, now: now) }
            let outcome = feed.push(bytes)
            guard
                self.keep(outcome, info: info, loss: loss, generation: generation, time: feed.time)
            else { return }
        }
        try Task.checkCancellation()
        let outcome = feed.finish()
        guard self.keep(outcome, info: info, loss: loss, generation: generation, time: feed.time)
        else { return }
        self.decide {
            $0.machine.bodyEnded(generation: generation, now: self.timeline.elapsed())
        }
    }

    /// A feed that goes on where the ring ends; `nil` if the connection was left.
    private func feed(_ info: StationInfo, generation: UInt64) -> StreamFeed? {
        let time = self.writer.withLock { $0.generation == generation ? $0.time : nil }
        guard let time else { return nil }
        return StreamFeed(
            info,
            charset: self.options.charset,
            time: time,
            position: self.ring.end,
            limit: max(1 << 16, self.options.policy.garbageLimit)
        )
    }

    /// Keeps what came.
    ///
    /// - Returns: whether more is wanted of this connection.
    private func keep(
        _ outcome: FeedOutcome,
        info: StationInfo,
        loss: StationLoss?,
        generation: UInt64,
        time: Duration
    ) -> Bool {
        let now = self.timeline.elapsed()
        let isMine = self.writer.withLock { writer in
            guard writer.generation == generation else { return false }
            for step in outcome.steps {
                guard case .stretch(let container) = step else {
                    self.write(step)
                    continue
                }
                self.ring.begin(
                    Self.stretch(container, info: info, loss: loss, writer: writer, now: now)
                )
                writer.isWriting = true
                writer.start = writer.time
                writer.wasIdle = false
            }
            if outcome.sound > .zero {
                writer.lastWrite = now
                writer.time = time
            }
            return true
        }
        guard isMine else { return false }
        if outcome.sound > .zero {
            self.decide {
                $0.machine.soundCame(outcome.sound, generation: generation, now: now)
            }
        }
        if !outcome.steps.isEmpty { self.news.raise() }
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

    private func write(_ step: FeedStep) {
        switch step {
        case .stretch: break
        case .link(let container, let head, let offset):
            self.ring.beginLink(container: container, head: head, headOffset: offset)
        case .bytes(let bytes): self.ring.append(bytes)
        case .title(let metadata): self.ring.note(metadata, at: self.ring.end)
        case .sign(let sign): self.ring.note(sign)
        case .packet(let packet, let parts): self.ring.note(packet, parts: parts)
        }
    }

    /// The stretch with which a stream begins.
    private static func stretch(
        _ container: AudioContainer,
        info: StationInfo,
        loss: StationLoss?,
        writer: Writer,
        now: Duration
    ) -> StreamStretch {
        // Where the stream became another in mid-connection, nothing is lost.
        let isAnother = writer.isWriting || writer.wasIdle
        let gap = isAnother ? nil : writer.lastWrite.map { max(.zero, now - $0) }
        let cause: StreamStretch.Cause =
            writer.lastWrite == nil ? .joined : .reconnected(isAnother ? nil : loss)
        return StreamStretch(
            cause: cause,
            info: info,
            container: container,
            gap: gap ?? .zero
        )
    }
}
