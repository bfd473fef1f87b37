// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The bytes that a station sends over HTTP; dropping the stream closes its connection.
final class StationStream: StationBody {
    private let body: any HTTPBody
    private let failures: StationFailures
    private let observer: SourceObserver?

    init(_ body: any HTTPBody, _ failures: StationFailures, observer: SourceObserver?) {
        self.body = body
        self.failures = failures
        self.observer = observer
    }

    deinit {
        self.body.cancel()
    }

    func next() async throws -> ByteMemory? {
        do {
            guard let memory = try await self.body.next() else { return nil }
            self.observer?(.received(byteCount: memory.count))
            return memory.withUnsafeBytes { ByteMemory(copying: $0) }
        } catch let error as HTTPTransportError {
            throw self.failures.brokenOff(error)
        }
    }

    func cancel() {
        self.body.cancel()
    }
}
