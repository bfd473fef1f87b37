// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A transport whose first answer has come already: it is handed on, so that no station is asked twice.
final class AnsweredTransport: StationTransport {
    let display: String
    private let transport: any StationTransport
    private let target: StationTarget
    private let answer: Mutex<StationAnswer?>

    init(
        _ transport: any StationTransport,
        answer: StationAnswer,
        to target: StationTarget = .station
    ) {
        self.display = transport.display
        self.transport = transport
        self.target = target
        self.answer = Mutex(answer)
    }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        if target == self.target, let answer = self.take() { return answer }
        return try await self.transport.connect(to: target)
    }

    /// Ends the answer that was not taken.
    func abandon() { self.take()?.body.cancel() }

    /// The bytes of an answer that is a playlist; the answer is used up.
    ///
    /// - Parameters:
    ///   - limit: how long no byte may come.
    ///   - clock: what time is.
    /// - Returns: at least as many as a playlist may have, if there are. A server that keeps the connection open ends the
    ///   list by sending no more.
    /// - Throws: `SourceError`, `timedOut` where none comes; `CancellationError`.
    func beginning(
        within limit: Duration = ReconnectPolicy().silenceLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> [UInt8] {
        let answer = try await self.connect(to: self.target)
        defer { answer.body.cancel() }
        var bytes: [UInt8] = []
        let late = "\(self.display) sent nothing for \(limit); try again later."
        do {
            while bytes.count <= Playlist.maximumByteCount,
                let piece = try await limit.limiting(late, clock, answer.body.next)
            {
                piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        } catch let error as SourceError where error.code == .timedOut && !bytes.isEmpty {}
        return bytes
    }

    /// The first bytes of the answer, which stays to be handed on, whole.
    ///
    /// - Parameters:
    ///   - count: how many are wanted.
    ///   - limit: how long no byte may come.
    ///   - clock: what time is.
    /// - Returns: that many, or all there are; those that came in time; `nil` if the answer was taken.
    /// - Throws: `SourceError`, where it breaks off before its first byte; `CancellationError`.
    func peek(
        _ count: Int,
        within limit: Duration = ReconnectPolicy().silenceLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> [UInt8]? {
        guard let answer = self.take() else { return nil }
        var pieces: [ByteMemory] = []
        var bytes: [UInt8] = []
        var failure: SourceError?
        let late = "\(self.display) sent nothing for \(limit); try again later."
        do {
            while bytes.count < count {
                guard let piece = try await limit.limiting(late, clock, answer.body.next) else {
                    break
                }
                pieces.append(piece)
                piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        } catch let error as SourceError where error.code == .timedOut || !bytes.isEmpty {
            // What has come is looked at; the next reader is told why no more does.
            failure = error
            answer.body.cancel()
        } catch {
            answer.body.cancel()
            throw error
        }
        let put = StationAnswer(
            fields: answer.fields,
            mediaType: answer.mediaType,
            display: answer.display,
            body: PeekedBody(pieces, answer.body, failure)
        )
        self.answer.withLock { $0 = put }
        return Array(bytes.prefix(count))
    }

    private func take() -> StationAnswer? {
        self.answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }
}

extension StationTransport {
    /// Connects once, for no longer than a station waits for an answer.
    ///
    /// - Parameters:
    ///   - limit: how long the answer's head may take.
    ///   - clock: what time is.
    /// - Returns: the answer.
    /// - Throws: `SourceError`, `timedOut` where no answer comes; `CancellationError`.
    func answer(
        within limit: Duration = ReconnectPolicy().answerLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> StationAnswer {
        let late =
            "\(self.display) did not answer within \(limit); try again later, or look up the address."
        return try await limit.limiting(late, clock) { try await self.connect(to: .station) }
    }
}

extension Duration {
    /// Waits for a result so long; then the work is cancelled.
    ///
    /// - Throws: `SourceError` with `timedOut` and the sentence; what the work throws.
    fileprivate func limiting<Result: Sendable>(
        _ sentence: String,
        _ clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(for: self)
                throw SourceError(.timedOut, sentence)
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

/// A body of which the first pieces have come already.
private final class PeekedBody: StationBody {
    private let pieces: Mutex<ArraySlice<ByteMemory>>
    private let rest: any StationBody
    /// Why nothing comes behind them.
    private let failure: SourceError?

    init(_ pieces: [ByteMemory], _ rest: any StationBody, _ failure: SourceError?) {
        self.pieces = Mutex(pieces[...])
        self.rest = rest
        self.failure = failure
    }

    func next() async throws -> ByteMemory? {
        if let piece = self.pieces.withLock({ $0.popFirst() }) { return piece }
        if let failure { throw failure }
        return try await self.rest.next()
    }

    func cancel() { self.rest.cancel() }
}
