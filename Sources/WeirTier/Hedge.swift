// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A reader's wait for the store, and for the origin as well once the store is late.
struct Hedge<Answer: Sendable>: Sendable {
    /// The first answer.
    enum First<Value: Sendable>: Sendable {
        case store(Value)
        case origin(Answer)
    }

    let tier: Tier
    /// The origin's name, under which its pace is recorded.
    let origin: String
    /// How many bytes the origin is asked for.
    let byteCount: Int64
    let ask: @Sendable () async throws -> Answer
    /// The request to the origin, if there is one.
    private(set) var beside: Pending<Answer>?
    private var hasFailed = false
    /// How long the reader has waited for the store.
    private(set) var waited = Duration.zero

    init(
        _ tier: Tier,
        origin: String,
        byteCount: Int64,
        beside: Pending<Answer>? = nil,
        ask: @escaping @Sendable () async throws -> Answer
    ) {
        self.tier = tier
        self.origin = origin
        self.byteCount = byteCount
        self.beside = beside
        self.ask = ask
    }

    /// Waits for the store or the origin.
    ///
    /// - Throws: the origin's final error about the resource; `CancellationError`.
    mutating func first<Value: Sendable>(
        _ pending: Pending<Value>,
        _ lane: Tier.Lane
    ) async throws -> First<Value> {
        let timeline = self.tier.timeline
        let began = timeline.elapsed() - self.waited
        defer { self.waited = timeline.elapsed() - began }
        while true {
            if let result = pending.result { return .store(try result.get()) }
            if let result = self.beside?.result {
                self.beside = nil
                switch result {
                case .success(let answer): return .origin(answer)
                case .failure(let error):
                    if let error = error as? SourceError, Self.isFinal(error) { throw error }
                    // The store may still answer.
                    self.hasFailed = true
                }
            }
            guard self.beside == nil, !self.hasFailed else {
                try await pending.wait(or: self.beside, on: timeline)
                continue
            }
            let waited = timeline.elapsed() - began
            switch self.tier.step(
                after: waited,
                for: self.byteCount,
                origin: self.origin,
                lane
            ) {
            case .wait(let limit):
                try await pending.wait(
                    or: nil as Pending<Answer>?,
                    for: limit - waited,
                    on: timeline
                )
            case .ask, .leaveAlone: self.beside = Pending(on: self.tier.executor, self.ask)
            }
        }
    }

    /// Whether the origin's error is final, even if the store has the bytes.
    private static func isFinal(_ error: SourceError) -> Bool {
        switch error.code {
        case .unauthorized, .forbidden, .notFound, .changed, .rangeNotSatisfiable, .notMedia: true
        default: false
        }
    }
}
