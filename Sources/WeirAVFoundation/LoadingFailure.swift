// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Why a loading request ends without all of its bytes.
package enum LoadingFailure: Error, Sendable {
    /// The source could not bring them.
    case source(SourceError)
    /// The source ended before the resource did; `position` is the first byte that is missing.
    case endedEarly(position: Int64, end: Int64)
    /// The content is of a type that the player said it does not take.
    case typeNotAllowed(MediaType?)
    /// They are not wanted any more: the asset has gone, or newer requests have replaced this one.
    case cancelled
}

extension LoadingFailure {
    /// The failure in a domain that applications know, as a media system hands it on.
    package struct Bridged: Hashable, Sendable {
        /// `NSURLErrorDomain`, `NSCocoaErrorDomain` or `AVFoundationErrorDomain`.
        package let domain: String
        /// The code within the domain.
        package let code: Int
        /// One sentence for a person.
        package let message: String
        /// What Weir calls it, for debugging.
        package let debugDescription: String
    }

    /// The domain and code that fit best, with the sentence of the source.
    package var bridged: Bridged {
        switch self {
        case .source(let error):
            let (domain, code) = Self.publicCodes[error.code] ?? (Self.urlDomain, -1)
            return Bridged(
                domain: domain,
                code: code,
                message: error.message,
                debugDescription: "SourceError.\(error.code)"
            )
        case .endedEarly(let position, let end):
            return Bridged(
                domain: Self.urlDomain,
                code: -1005,
                message:
                    "The medium ended at byte \(position) of \(end); play it again to get the rest.",
                debugDescription: "LoadingFailure.endedEarly"
            )
        case .typeNotAllowed(let type):
            return Bridged(
                domain: Self.mediaDomain,
                code: -11828,
                message: "The player does not take \(type?.description ?? "this type");"
                    + " play it with a player that knows the format.",
                debugDescription: "LoadingFailure.typeNotAllowed"
            )
        case .cancelled:
            return Bridged(
                domain: Self.cocoaDomain,
                code: 3072,
                message: "The request is no longer wanted.",
                debugDescription: "LoadingFailure.cancelled"
            )
        }
    }

    private static let urlDomain = "NSURLErrorDomain"
    private static let cocoaDomain = "NSCocoaErrorDomain"
    private static let mediaDomain = "AVFoundationErrorDomain"

    /// What NSURLError.h, FoundationErrors.h and AVError.h have for each code.
    private static let publicCodes: [SourceError.Code: (domain: String, code: Int)] = [
        .invalidRequest: (urlDomain, -1000),
        .notFound: (urlDomain, -1100),
        .unauthorized: (urlDomain, -1013),
        .forbidden: (urlDomain, -1102),
        .rangeNotSatisfiable: (urlDomain, -1008),
        .changed: (urlDomain, -1008),
        .notMedia: (mediaDomain, -11828),
        .badAnswer: (urlDomain, -1011),
        .truncated: (urlDomain, -1005),
        .unreachable: (urlDomain, -1004),
        .timedOut: (urlDomain, -1001),
        .insecure: (urlDomain, -1200),
        .throttled: (urlDomain, -1008),
        .originFailed: (urlDomain, -1011),
        .offline: (urlDomain, -1009),
        .cacheFailed: (cocoaDomain, 256),
        .wrongKey: (urlDomain, -1015),
        .damaged: (urlDomain, -1016),
        .closed: (urlDomain, -999),
    ]
}
