// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirSource

/// What a failure means for a download.
enum DownloadSetback: Hashable, Sendable {
    /// The network or the origin fails for the moment: to be tried again after a pause.
    case network(SourceError)
    /// There is no room in the cache: to be tried again when there may be some.
    case space(SourceError)
    /// The origin has another version: that one is to be fetched.
    case changed(SourceError)
    /// The source has gone, with the medium or the process that lent it.
    case sourceGone
    /// Trying again would not help.
    case final(SourceError)

    /// Judges an error of a reading.
    init(_ error: any Error) {
        switch error {
        case let error as SourceError: self.init(error)
        case let error as CacheError: self.init(error)
        // A reading that another task has cancelled says nothing of the origin.
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
    /// The failure of the cache, under the one code that a source has for it.
    package init(ofDownload error: CacheError) {
        self.init(.cacheFailed, error.message, cause: error)
    }

    /// Why a download has failed, whatever was thrown.
    ///
    /// The sentence is stored and shown. Of an error of a foreign type it has what the type says for a person, else the
    /// type's name alone: what else is in it may be an address with its query.
    ///
    /// - Parameters:
    ///   - error: what was thrown.
    ///   - attempt: what was tried, to stand after "Could not": `fetch the medium`.
    package init(ofDownload error: any Error, attempt: String) {
        switch error {
        case let error as SourceError: self = error
        case let error as CacheError: self.init(ofDownload: error)
        default:
            self.init(unnamed: error, attempt: attempt, advice: "resume the download to try again")
        }
    }

    /// The error with texts that are no longer than a record of a download allows.
    var fittingRecord: SourceError {
        var error = self
        error.message = self.message.prefix(utf8Count: 1024)
        error.host = self.host?.prefix(utf8Count: 255)
        return error
    }
}
