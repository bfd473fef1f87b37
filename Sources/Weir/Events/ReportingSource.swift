// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// An origin whose transfers are told.
final class ReportingSource: ByteSource {
    private struct State {
        var lastNumber = 0
        var pin: ReadDemand.Pin?
        /// Whether an error has told the change that the next description will show.
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

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try await self.base.isUnchanged(pin)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? { self.base.residentSlice(range) }

    func availability() -> Availability { self.base.availability() }

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
        self.seen(reading.description)
        let transfer = self.state.withLock { state in
            state.lastNumber += 1
            return MediaTransfer(
                number: state.lastNumber,
                lowerBound: reading.lowerBound,
                upperBound: reading.upperBound
            )
        }
        self.tell(.transferStarted(transfer))
        return reading.replacing(
            producer: ReportingProducer(
                reading,
                transfer,
                tell: self.tell,
                tellChange: { self.tellChange() }
            )
        )
    }

    private func seen(_ description: ResourceDescription) {
        let hasChanged = self.state.withLock { state in
            let before = state.pin
            state.pin = description.pin
            defer { state.hasToldChange = false }
            return before?.agrees(with: description) == false && !state.hasToldChange
        }
        if hasChanged { self.tell(.sourceChanged) }
    }

    /// Several readings may find the same change.
    private func tellChange() {
        let isFirst = self.state.withLock { state in
            defer { state.hasToldChange = true }
            return !state.hasToldChange
        }
        if isFirst { self.tell(.sourceChanged) }
    }
}
