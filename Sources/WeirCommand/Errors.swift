// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirAudio
import WeirCache
import WeirCipher
import WeirLive
import WeirPlayback
import WeirProxy
import WeirSource

enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case notFound = 3
    case network = 4
    case cache = 5
    case content = 6
    case interrupted = 130

    init(for error: any Error) {
        switch error {
        case let error as CommandError: self = error.status
        case let error as SourceError: self = ExitStatus.status(of: error.code)
        case let error as CacheError: self = error.code == .incomplete ? .failed : .cache
        case let error as CipherError: self = ExitStatus.status(of: error.code)
        case let error as ProxyError:
            self = error.code == .portInUse || error.code == .cannotListen ? .network : .usage
        case is CancellationError: self = .interrupted
        default: self = .failed
        }
    }

    private static func status(of code: SourceError.Code) -> ExitStatus {
        switch code {
        case .invalidRequest: .usage
        case .notFound, .unauthorized, .forbidden: .notFound
        case .unreachable, .timedOut, .insecure, .throttled, .originFailed, .offline: .network
        case .cacheFailed: .cache
        case .changed, .notMedia, .badAnswer, .truncated, .rangeNotSatisfiable, .wrongKey,
            .damaged:
            .content
        default: .failed
        }
    }

    private static func status(of code: CipherError.Code) -> ExitStatus {
        switch code {
        case .invalidKey, .invalidSettings: .usage
        case .wrongKey, .damaged, .tooCostly, .unsupported, .incomplete: .content
        default: .failed
        }
    }
}

/// The worst status among several items, all of which are tried.
final class WorstStatus: Sendable {
    private let worst = Mutex<ExitStatus>(.done)

    var status: ExitStatus { self.worst.withLock { $0 } }

    func note(_ status: ExitStatus) {
        self.worst.withLock { $0 = max($0, status) }
    }
}

/// The larger value is worse: a content error is more important than a missing file.
extension ExitStatus: Comparable {
    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// An error of a command itself: one sentence, and the exit status.
struct CommandError: Error, CustomStringConvertible {
    let status: ExitStatus
    let description: String
    /// Whether the error is about playlists that contain only each other.
    let isOfLists: Bool

    init(_ status: ExitStatus, _ description: String, isOfLists: Bool = false) {
        self.status = status
        self.description = description
        self.isOfLists = isOfLists
    }

    /// The error of `weir play` for a player's failure.
    init(_ failure: PlayerFailure) {
        self.init(ExitStatus(for: failure), failure.ownerMessage)
    }

    static func usage(_ sentence: String) -> CommandError { CommandError(.usage, sentence) }
    static func failed(_ sentence: String) -> CommandError { CommandError(.failed, sentence) }
    static func content(_ sentence: String) -> CommandError { CommandError(.content, sentence) }
    static func notFound(_ sentence: String) -> CommandError { CommandError(.notFound, sentence) }
    static func interrupted(_ sentence: String) -> CommandError {
        CommandError(.interrupted, sentence)
    }
}

extension Error {
    /// The sentence for the terminal and the log of the person who configured Weir.
    var ownerSentence: String {
        switch self {
        case let error as SourceError: error.ownerMessage
        case let failure as PlayerFailure: failure.ownerMessage
        case let loss as StationError: loss.ownerMessage
        default: "\(self)"
        }
    }
}

extension PlayerFailure {
    /// ``message``, with the owner's sentence in place of the public one.
    var ownerMessage: String { self.message.naming(self.cause) }
}

extension StationError {
    /// ``message``, with the owner's sentence in place of the public one.
    var ownerMessage: String { self.message.naming(self.cause) }
}

extension String {
    /// The sentence, with the cause's owner message in place of the cause's public message.
    fileprivate func naming(_ cause: (any Error)?) -> String {
        switch cause {
        case let error as SourceError: self.replacing(error.message, with: error.ownerMessage)
        case let loss as StationError: self.replacing(loss.message, with: loss.ownerMessage)
        default: self
        }
    }
}

extension ExitStatus {
    /// The status for a player's failure.
    init(for failure: PlayerFailure) {
        switch failure.code {
        case .source:
            switch failure.cause {
            case let loss as StationError: self = Self.status(of: loss)
            case let cause?: self = ExitStatus(for: cause)
            case nil: self = .network
            }
        case .notAudio, .unsupported, .undecodable: self = .content
        default: self = .failed
        }
    }

    /// The status for the loss of a station.
    private static func status(of loss: StationError) -> ExitStatus {
        switch loss.code {
        case .ended, .unreachable, .silent, .failing: .network
        case .refused: .notFound
        case .notAudio: .content
        default: .failed
        }
    }
}
