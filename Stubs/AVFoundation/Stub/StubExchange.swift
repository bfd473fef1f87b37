// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sendable: all mutable state is behind `lock`; the log has its own lock, and the observer is
// called outside `lock`.

/// The state of one request, shared by the loading request and the data request.
final class StubExchange: @unchecked Sendable {
    /// The phase of the request.
    enum Phase: Equatable {
        case open
        case finished
        case failed
        case cancelled
        case declined
    }

    /// The player's input from one call of `take`.
    struct Taken {
        let chunks: [StubChunk]
        let phase: Phase
        let error: (any Error)?
        let information: StubInformation?
        let currentOffset: Int64
    }

    let wish: StubWish
    private let question: AVAssetResourceLoadingContentInformationRequest?
    private let log: StubLog
    private let index: Int
    private let lock = NSLock()
    private var phase = Phase.open
    private var error: (any Error)?
    private var offset: Int64
    private var chunks: [StubChunk] = []
    private var information: StubInformation?
    private var observer: (@Sendable (Phase, StubInformation?) -> Void)?

    init(
        wish: StubWish,
        information: AVAssetResourceLoadingContentInformationRequest?,
        log: StubLog
    ) {
        self.wish = wish
        question = information
        self.log = log
        offset = wish.offset
        index = log.begin(wish, asksInformation: information != nil)
    }

    var currentOffset: Int64 { lock.withLock { offset } }
    var isFinished: Bool { lock.withLock { phase == .finished || phase == .failed } }
    var isCancelled: Bool { lock.withLock { phase == .cancelled } }

    /// Sets the observer of every change; it is called on the thread that made the change.
    ///
    /// - Parameter observer: Receives the phase, and the content information of a successful
    ///   request.
    func observe(_ observer: @escaping @Sendable (Phase, StubInformation?) -> Void) {
        lock.withLock { self.observer = observer }
    }

    /// Takes the chunks since the last call.
    func take() -> Taken {
        lock.withLock {
            defer { chunks = [] }
            return Taken(
                chunks: chunks,
                phase: phase,
                error: error,
                information: information,
                currentOffset: offset
            )
        }
    }

    func respond(_ data: Data) {
        let notes: [StubViolation] = lock.withLock {
            guard phase == .open else { return [lateness(of: data)] }
            guard !data.isEmpty else { return [] }
            takeInformation()
            let end = offset + Int64(data.count)
            let excess = end - max(offset, wish.end)
            chunks.append(StubChunk(offset: offset, data: data))
            offset = end
            log.delivered(data.count, to: index)
            return excess > 0
                ? [.overDelivery(offset: wish.offset, excess: excess)] : []
        }
        notes.forEach(log.note)
        tell()
    }

    func finish(_ failure: (any Error)?) {
        let notes: [StubViolation] = lock.withLock {
            switch phase {
            case .finished, .failed: return [.finishedTwice(offset: wish.offset)]
            case .declined: return [.answeredAfterDecline(offset: wish.offset)]
            // A finish after a cancellation is harmless, but not needed [dis].
            case .cancelled: return []
            case .open: break
            }
            takeInformation()
            if let failure {
                end(as: failure)
                return []
            }
            if let information, information.isTypeForbidden {
                end(as: AVError(.unknown))
                return [
                    .exception(
                        name: "NSInvalidArgumentException",
                        reason: "contentType is not one of allowedContentTypes"
                    )
                ]
            }
            phase = .finished
            log.end(index, as: .finished)
            // A delegate may answer a request for information without bytes: real delegates do
            // either.
            guard offset < wish.end, question == nil || offset > wish.offset else { return [] }
            return [
                .finishedShort(
                    offset: wish.offset,
                    length: wish.length,
                    delivered: offset - wish.offset
                )
            ]
        }
        notes.forEach(log.note)
        tell()
    }

    /// Cancels the request, unless it has ended.
    ///
    /// - Returns: Whether the request was still open.
    func cancel() -> Bool {
        let isOpen = lock.withLock {
            guard phase == .open else { return false }
            phase = .cancelled
            log.end(index, as: .cancelled)
            return true
        }
        if isOpen { tell() }
        return isOpen
    }

    /// Ends the request as declined, unless it has ended.
    func decline() {
        let isOpen = lock.withLock {
            guard phase == .open else { return false }
            phase = .declined
            log.end(index, as: .declined)
            return true
        }
        if isOpen { tell() }
    }

    private func end(as failure: any Error) {
        phase = .failed
        error = failure
        let failure = failure as NSError
        log.end(index, as: .failed(domain: failure.domain, code: failure.code))
    }

    private func takeInformation() {
        guard let said = question?.take() else { return }
        information = said
    }

    private func lateness(of data: Data) -> StubViolation {
        switch phase {
        case .cancelled: .dataAfterCancel(offset: offset, count: data.count)
        case .declined: .answeredAfterDecline(offset: offset)
        case .open, .finished, .failed: .dataAfterFinish(offset: offset, count: data.count)
        }
    }

    private func tell() {
        let (observer, phase, information) = lock.withLock {
            (self.observer, self.phase, self.phase == .finished ? self.information : nil)
        }
        observer?(phase, information)
    }
}
