// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirSource

/// The effect of a failure on a download.
enum DownloadSetback: Hashable, Sendable {
    /// The network or the origin fails temporarily: try again after a pause.
    case network(SourceError)
    /// There is no room in the cache: try again when there may be some.
    case space(SourceError)
    /// The origin has another version: fetch that one.
    case changed(SourceError)
    /// The source has gone, together with its medium or process.
    case sourceGone
    /// Trying again would not help.
    case final(SourceError)

    /// Classifies an error of a reading.
    init(_ error: any Error) {
        switch error {
        case let error as SourceError: self.init(error)
        case let error as CacheError: self.init(error)
        // A cancellation by another task says nothing about the origin.
        case is PeerError, is CancellationError: self = .sourceGone
        default: self = .final(SourceError(ofDownload: error, attempt: "fetch the medium"))
        }
    }

    private init(_ error: SourceError) {
        switch error.code {
        case .unreachable, .timedOut, .throttled, .originFailed, .truncated:
            self = .network(error)
        case .changed: self = .changed(error)
        case .closed, .offline: self = .sourceGone
        case .cacheFailed:
            self = (error.cause as? CacheError).map { Self($0) } ?? .space(error)
        default: self = .final(error)
        }
    }

    private init(_ error: CacheError) {
        switch error.code {
        case .full, .exhausted: self = .space(SourceError(ofDownload: error))
        case .inUse, .closed: self = .sourceGone
        default: self = .final(SourceError(ofDownload: error))
        }
    }
}

extension SourceError {
    /// A failure of the cache, with the only code that a source has for it.
    package init(ofDownload error: CacheError) {
        self.init(.cacheFailed, error.message, cause: error)
    }

    /// The failure of a download, for any error.
    ///
    /// The message is stored and shown. For an error of a foreign type, it contains the type's
    /// description for a person, or else only the type's name. Other parts of the error may contain
    /// an address with its query.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - attempt: the attempted action, to follow "Could not": `fetch the medium`.
    package init(ofDownload error: any Error, attempt: String) {
        switch error {
        case let error as SourceError: self = error
        case let error as CacheError: self.init(ofDownload: error)
        default:
            self.init(unnamed: error, attempt: attempt, advice: "resume the download to try again")
        }
    }

    /// The error with its texts cut to the maximum size in a record.
    var fittingRecord: SourceError {
        var error = self
        error.message = self.message.prefix(utf8Count: 1024)
        error.host = self.host?.prefix(utf8Count: 255)
        return error
    }
}
