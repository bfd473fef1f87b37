// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirCache
import WeirSource

/// Why a download did not come to its end: a kind, and a sentence without a credential.
package struct DownloadFailure: Hashable, Sendable {
    /// The name of a `SourceError.Code` or a `CacheError.Code`.
    package var code: String
    /// One sentence for a person.
    package var message: String

    /// Describes a failure; a sentence that is longer than a record allows is cut.
    package init(code: String, message: String) {
        self.code = code.prefix(utf8Count: 64)
        self.message = message.prefix(utf8Count: 1024)
    }
}

/// What a failure means for a download.
enum DownloadSetback: Hashable, Sendable {
    /// The network or the origin fails for the moment: to be tried again after a pause.
    case network(DownloadFailure)
    /// There is no room in the cache: to be tried again when there may be some.
    case space(DownloadFailure)
    /// The origin has another version: that one is to be fetched.
    case changed(DownloadFailure)
    /// The source has gone, with the medium or the process that lent it.
    case sourceGone
    /// Trying again would not help.
    case final(DownloadFailure)

    /// Judges an error of a reading.
    init(_ error: any Error) {
        switch error {
        case let error as SourceError: self.init(error)
        case let error as CacheError: self.init(error)
        // A reading that another task has cancelled says nothing of the origin.
        case is PeerError, is CancellationError: self = .sourceGone
        default: self = .final(DownloadFailure(code: "failed", message: "\(error)"))
        }
    }

    private init(_ error: SourceError) {
        let failure = DownloadFailure(code: error.code.description, message: error.message)
        switch error.code {
        case .unreachable, .timedOut, .throttled, .originFailed, .truncated:
            self = .network(failure)
        case .changed: self = .changed(failure)
        case .closed, .offline: self = .sourceGone
        case .cacheFailed:
            self = (error.cause as? CacheError).map { Self($0) } ?? .space(failure)
        default: self = .final(failure)
        }
    }

    private init(_ error: CacheError) {
        let failure = DownloadFailure(code: error.code.description, message: error.message)
        switch error.code {
        case .full, .exhausted: self = .space(failure)
        case .inUse, .closed: self = .sourceGone
        default: self = .final(failure)
        }
    }
}

extension DownloadFailure: WireValue {
    init(from buffer: inout ByteBuffer) throws(CacheError) {
        self.init(code: try buffer.read(), message: try buffer.read())
    }

    func write(to buffer: inout ByteBuffer) { buffer.write(self.code, self.message) }
}
