// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// An origin that reports its transfers.
final class ReportingSource: ByteSource {
    private struct State {
        var lastNumber = 0
        var version: ReadDemand.Version?
        /// Whether the source has already reported, after an error, the change that the next description will show.
        var hasToldChange = false
    }

    private let base: any ByteSource
    private let tell: @Sendable (MediaEvent) -> Void
    private let state = Mutex(State())

    init(_ base: any ByteSource, tell: @escaping @Sendable (MediaEvent) -> Void) {
        self.base = base
        self.tell = tell
    }

    func describe() async throws -> ResourceDescription {
        let description = try await self.base.describe()
        self.seen(description)
        return description
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.base.isUnchanged(version)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? { self.base.residentSlice(range) }

    var availability: Availability { self.base.availability }

    func availabilityChanges() -> AsyncStream<Availability> { self.base.availabilityChanges() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let reading: ByteReading
        do {
            reading = try await self.base.read(demand)
        } catch let error as SourceError {
            if error.code == .changed {
                self.tellChange()
            } else if error.code != .rangeNotSatisfiable {
                self.tell(.transferFailed(nil, error))
            }
            throw error
        }
        self.seen(reading.resource)
        let transfer = self.state.withLock { state in
            state.lastNumber += 1
            return MediaTransfer(
                number: state.lastNumber,
                lowerBound: reading.lowerBound,
                upperBound: reading.upperBound
            )
        }
        self.tell(.transferStarted(transfer))
        let report = TransferReport(transfer, tell: self.tell)
        return reading.observed { progress in
            report.observe(progress)
            if case .failed(let error) = progress, (error as? SourceError)?.code == .changed {
                self.tellChange()
            }
        }
    }

    private func seen(_ description: ResourceDescription) {
        let hasChanged = self.state.withLock { state in
            let before = state.version
            state.version = description.version
            defer { state.hasToldChange = false }
            return before?.agrees(with: description) == false && !state.hasToldChange
        }
        if hasChanged { self.tell(.sourceChanged) }
    }

    /// Reports a change, once even if several readings find it.
    private func tellChange() {
        let isFirst = self.state.withLock { state in
            defer { state.hasToldChange = true }
            return !state.hasToldChange
        }
        if isFirst { self.tell(.sourceChanged) }
    }
}

/// Counts the bytes of one transfer and reports its events.
private final class TransferReport: Sendable {
    private struct State {
        var transfer: MediaTransfer
        var lastTold: ContinuousClock.Instant
        var isOver = false
    }

    private let tell: @Sendable (MediaEvent) -> Void
    private let state: Mutex<State>

    init(_ transfer: MediaTransfer, tell: @escaping @Sendable (MediaEvent) -> Void) {
        self.tell = tell
        self.state = Mutex(State(transfer: transfer, lastTold: .now))
    }

    func observe(_ progress: ByteReading.Progress) {
        switch progress {
        case .yielded(let count): self.progressed(by: count)
        case .ended: self.end { .transferFinished($0) }
        case .failed(let error as SourceError): self.end { .transferFailed($0, error) }
        case .failed, .left: self.end { .transferLeft($0) }
        }
    }

    /// Adds received bytes; the last byte ends the transfer.
    ///
    /// The transfer ends before a reader has the last byte, because a reader need not ask for the end of the
    /// stream.
    private func progressed(by count: Int) {
        let (due, isLast) = self.state.withLock { state -> (MediaTransfer?, Bool) in
            state.transfer.receivedByteCount += Int64(count)
            if state.transfer.receivedByteCount == state.transfer.totalByteCount {
                return (nil, true)
            }
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
