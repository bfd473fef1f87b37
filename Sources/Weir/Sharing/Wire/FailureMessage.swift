// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// An error on the wire.
struct FailureMessage: Codable, Hashable, Sendable {
    private enum Kind: String, Codable {
        case source
        case cache
        /// Another attempt may succeed at once.
        case interruption
    }

    private var kind: Kind
    private var code: String?
    private var message: String
    private var lower: Int64?
    private var upper: Int64?
    private var host: String?
    private var status: Int?
    private var length: Int64?

    init(_ error: any Error) {
        switch error {
        case let error as SourceError:
            self.kind = .source
            self.code = error.code.description
            self.message = error.message
            self.lower = error.range?.lowerBound
            self.upper = error.range?.upperBound
            self.host = error.host
            self.status = error.status
            self.length = error.length
        case let error as CacheError:
            self.kind = .cache
            self.code = error.code.description
            self.message = error.message
        default:
            self.kind = .interruption
            self.message = "\(error)"
        }
    }

    /// The error as it was thrown, without its cause.
    var error: any Error {
        switch self.kind {
        case .interruption:
            return Interruption()
        case .cache:
            return CacheError(
                self.code.flatMap { CacheError.Code(named: $0) } ?? .io,
                self.message
            )
        case .source:
            var range: Range<Int64>?
            if let lower, let upper, lower <= upper { range = lower..<upper }
            return SourceError(
                self.code.flatMap { SourceError.Code(named: $0) } ?? .originFailed,
                self.message,
                range: range,
                host: self.host,
                status: self.status,
                length: self.length.flatMap(ResourceLength.checked)
            )
        }
    }
}
