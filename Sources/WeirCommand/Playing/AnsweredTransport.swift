// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A transport that passes on a response that it already has, so that the station gets no second
/// request.
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

    /// Cancels the response if no reader took it.
    func abandon() { self.take()?.body.cancel() }

    /// Reads the bytes of a response that is a playlist; no other reader can then use the response.
    ///
    /// - Parameters:
    ///   - limit: how long the server may send nothing.
    ///   - clock: measures the time.
    /// - Returns: all bytes, or more than a playlist may have. If the server keeps the connection
    ///   open, the list ends when no more bytes arrive.
    /// - Throws: `SourceError` with `timedOut` if no byte arrives; `CancellationError`.
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

    /// Reads the first bytes of the response; a later reader still gets the whole response.
    ///
    /// - Parameters:
    ///   - count: how many bytes to read.
    ///   - limit: how long the server may send nothing.
    ///   - clock: measures the time.
    /// - Returns: the first `count` bytes, or fewer if the response ends, fails or is silent for
    ///   `limit` before that; `nil` if a reader took the response.
    /// - Throws: `SourceError` if the response fails before its first byte; `CancellationError`.
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
            // Use the bytes that arrived; the next reader receives the error after them.
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
    /// Connects once, and waits for the response no longer than a station does.
    ///
    /// - Parameters:
    ///   - limit: how long the head of the response may take.
    ///   - clock: measures the time.
    /// - Returns: the response.
    /// - Throws: `SourceError` with `timedOut` if no response arrives; `CancellationError`.
    func answer(
        within limit: Duration = ReconnectPolicy().answerLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> StationAnswer {
        let late =
            "\(self.display) did not answer within \(limit); try again later, or check the address."
        return try await limit.limiting(late, clock) { try await self.connect(to: .station) }
    }
}

extension Duration {
    /// Waits for a result for this duration, then cancels the work.
    ///
    /// - Throws: `SourceError` with `timedOut` and the sentence; the errors of the work.
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

/// A body whose first pieces have already been read.
private final class PeekedBody: StationBody {
    private let pieces: Mutex<ArraySlice<ByteMemory>>
    private let rest: any StationBody
    /// The error after these pieces, if there is one.
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
