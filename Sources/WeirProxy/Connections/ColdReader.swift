// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// Answers one request from a source that has to be awaited.
///
/// Runs as a task on the connection's event loop. It pulls the next chunk only when the connection
/// has room for it. It drops the reading as soon as the response is no longer wanted.
struct ColdReader: Sendable {
    /// The missing part of a body whose head has been written.
    struct Continuation: Sendable {
        let range: Range<Int64>
        let description: ResourceDescription

        init(range: Range<Int64>, of description: ResourceDescription) {
            self.range = range
            self.description = description
        }
    }

    let source: any ByteSource
    let request: RequestHead
    let continuation: Continuation?
    let connection: NIOLoopBound<ConnectionHandler>
    let exchange: NIOLoopBound<Exchange>

    /// Answers the request, or sends the rest of its body.
    func run() async {
        do {
            if let continuation {
                try await self.resume(continuation)
            } else {
                try await self.respond()
            }
        } catch {
            self.connection.value.failed(error, self.exchange.value)
        }
    }

    private func respond() async throws {
        // Only this call finds the bytes that were cached earlier or by another process.
        await self.source.openHeld()
        if self.connection.value.serveOpened(self.request, self.exchange.value) { return }
        self.connection.value.noteHeld(self.exchange.value)
        let (plan, description, reading) = try await self.open()
        let isAwaited = self.connection.value.described(plan, of: description, self.exchange.value)
        guard isAwaited, let reading else { return }
        switch plan.body {
        case .none: break
        case .bytes(let part):
            try await self.send(reading, from: part.lowerBound, to: part.upperBound)
        case .untilEnd: try await self.send(reading, from: 0, to: nil)
        }
    }

    private func resume(_ continuation: Continuation) async throws {
        let known = continuation.description
        let reading = try await self.source.read(
            ReadDemand(.span(continuation.range), version: known.version)
        )
        let found = reading.resource
        // Bytes that were fetched again after an eviction have a new generation; an equal validator
        // vouches for them.
        let isVouchedFor = known.validator != nil && found.validator == known.validator
        guard found.length == nil || found.length == known.length,
            isVouchedFor || found.generation == nil || known.generation == nil
                || found.generation == known.generation
        else { throw Self.changed }
        try await self.send(
            reading,
            from: continuation.range.lowerBound,
            to: continuation.range.upperBound
        )
    }

    /// Gets the description and, if the response has a body, a reading that covers this body.
    ///
    /// The first reading is of the client's range, since its response includes the description. The
    /// description may demand another body: the client has another generation, or the length is
    /// unknown. Then the right reading replaces the first one.
    private func open() async throws -> (ResponsePlan, ResourceDescription, ByteReading?) {
        var demand = self.firstDemand
        for _ in 0..<4 {
            let (description, reading) = try await self.answer(to: demand)
            let plan = ResponsePlan(for: self.request, of: description)
            switch plan.body {
            case .none:
                return (plan, description, nil)
            case .bytes(let part):
                if let reading, reading.lowerBound == part.lowerBound,
                    reading.upperBound.map({ $0 >= part.upperBound }) ?? true
                {
                    return (plan, description, reading)
                }
                demand = ReadDemand(.span(part))
            case .untilEnd:
                if let reading, demand?.range == .whole { return (plan, description, reading) }
                demand = ReadDemand(.whole)
            }
        }
        throw Self.changed
    }

    /// The description, and the reading if one was demanded and the range exists.
    private func answer(
        to demand: ReadDemand?
    ) async throws -> (ResourceDescription, ByteReading?) {
        guard let demand else { return (try await self.source.describe(), nil) }
        do {
            let reading = try await self.source.read(demand)
            return (reading.resource, reading)
        } catch let failure as SourceError where failure.code == .rangeNotSatisfiable {
            // A condition may take precedence over the range, or make it irrelevant.
            guard self.request.isConditional else { throw failure }
            return (try await self.source.describe(), nil)
        }
    }

    /// The demand for the first reading; `nil` if no byte is wanted.
    private var firstDemand: ReadDemand? {
        guard self.request.method == .get else { return nil }
        return switch self.request.range {
        case .ignored: ReadDemand(.whole)
        case .one(let range): ReadDemand(range)
        case .unsatisfiable: nil
        }
    }

    /// Sends the chunks of a reading, and checks that they are the promised bytes.
    ///
    /// - Parameters:
    ///   - reading: the reading to send.
    ///   - start: the position that it must start at.
    ///   - end: the position that it must reach; `nil` to send all of its bytes.
    /// - Throws: the errors of the reading; `SourceError` with `badAnswer` or `truncated` if the
    ///   bytes are not the promised ones; `CancellationError` when the response is no longer
    ///   wanted.
    private func send(_ reading: ByteReading, from start: Int64, to end: Int64?) async throws {
        var position = start
        for try await chunk in reading {
            guard chunk.range.lowerBound == position,
                let wanted = chunk.clamped(to: position..<max(position, end ?? .max))
            else { throw Self.badChunk }
            try await self.connection.value.deliver(wanted, self.exchange.value)
            position = wanted.range.upperBound
            if position == end { break }
        }
        guard end == nil || position == end else {
            throw SourceError(
                .truncated,
                "The resource ended before its announced end."
            )
        }
        self.connection.value.delivered(self.exchange.value)
    }

    private static let changed = SourceError(
        .changed,
        "The resource changed while it was read; play it again to hear the new one."
    )
    private static let badChunk = SourceError(
        .badAnswer,
        "The source returned other bytes than the requested ones."
    )
}
