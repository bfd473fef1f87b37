// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache
import WeirCipher
import WeirProxy
import WeirSource

/// What the program's end tells a script.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case notFound = 3
    case network = 4
    case cache = 5
    case content = 6
    case interrupted = 130

    /// The status for an error.
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
