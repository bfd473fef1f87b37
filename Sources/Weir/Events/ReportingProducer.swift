// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Counts the bytes of one transfer and tells how it goes.
final class ReportingProducer: ConnectedProducer {
    private struct State {
        var transfer: MediaTransfer
        var lastTold: ContinuousClock.Instant
        var isOver = false
    }

    private let reading: ByteReading
    private let iterator: ByteReading.AsyncIterator
    private let tell: @Sendable (MediaEvent) -> Void
    private let tellChange: @Sendable () -> Void
    private let state: Mutex<State>

    init(
        _ reading: ByteReading,
        _ transfer: MediaTransfer,
        tell: @escaping @Sendable (MediaEvent) -> Void,
        tellChange: @escaping @Sendable () -> Void
    ) {
        self.reading = reading
        self.iterator = reading.makeAsyncIterator()
        self.tell = tell
        self.tellChange = tellChange
        self.state = Mutex(State(transfer: transfer, lastTold: .now))
    }

    func next() async throws -> ByteChunk? {
        do {
            guard let chunk = try await self.iterator.next() else {
                self.end { .transferFinished($0) }
                return nil
            }
            self.progressed(by: chunk.count)
            return chunk
        } catch let error as SourceError {
            self.end { .transferFailed($0, error) }
            if error.code == .changed { self.tellChange() }
            throw error
        } catch {
            self.end { .transferLeft($0) }
            throw error
        }
    }

    func abandoned(_ giveWay: @escaping @Sendable () -> Void) { self.reading.abandon(giveWay) }

    func reclaimed() { self.reading.reclaim() }

    func cancel() {
        self.iterator.cancel()
        self.end { .transferLeft($0) }
    }

    /// The last byte ends the transfer, before any reader has it: nobody may ask for the end of the chunks after it.
    private func progressed(by count: Int) {
        let (due, isLast) = self.state.withLock { state -> (MediaTransfer?, Bool) in
            state.transfer.receivedCount += Int64(count)
            if state.transfer.receivedCount == state.transfer.totalCount { return (nil, true) }
            let now = ContinuousClock.now
            guard now - state.lastTold >= .milliseconds(100) else { return (nil, false) }
            state.lastTold = now
            return (state.transfer, false)
        }
        if let due { self.tell(.transferProgressed(due)) }
        if isLast { self.end { .transferFinished($0) } }
    }

    private func end(_ event: (MediaTransfer) -> MediaEvent) {
        let transfer = self.state.withLock { state -> MediaTransfer? in
            defer { state.isOver = true }
            return state.isOver ? nil : state.transfer
        }
        if let transfer { self.tell(event(transfer)) }
    }
}
