// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sendable: everything mutable is behind `lock`; the log has its own, and the observer is called without ours.

/// The state of one request: what its two faces, the loading and the data request, share.
final class StubExchange: @unchecked Sendable {
    /// How far it is.
    enum Phase: Equatable {
        case open
        case finished
        case failed
        case cancelled
        case declined
    }

    /// What a player takes out at once.
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

    /// Names who hears of every change, on the thread that made it.
    ///
    /// - Parameter observer: Is given the phase, and what was said of the resource once it finished well.
    func observe(_ observer: @escaping @Sendable (Phase, StubInformation?) -> Void) {
        lock.withLock { self.observer = observer }
    }

    /// Takes what came since the last time.
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
            // Harmless, and not needed [dis].
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
            // A request for information may be answered with information alone: both are done in the wild.
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

    /// Cancels it, unless it has ended.
    ///
    /// - Returns: Whether it had not.
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

    /// Ends it as one that nobody took, unless it has ended.
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
