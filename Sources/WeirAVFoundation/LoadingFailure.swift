// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
package import WeirSource

/// Why a loading request ends without all of its bytes.
package enum LoadingFailure: Error, Sendable {
    /// The source could not deliver the bytes.
    case source(SourceError)
    /// The source ended before the end of the resource; `position` is the first missing byte.
    case endedEarly(position: Int64, end: Int64)
    /// The player has said that it does not accept the type of the content.
    case typeNotAllowed(MediaType?)
    /// The bytes are no longer needed: the asset is deallocated, or newer requests have replaced
    /// this one.
    case cancelled
}

extension LoadingFailure {
    /// The failure in a public error domain.
    package struct Bridged: Hashable, Sendable {
        /// `NSURLErrorDomain`, `NSCocoaErrorDomain` or `AVFoundationErrorDomain`.
        package let domain: String
        /// The code within the domain.
        package let code: Int
        /// One sentence for a person.
        package let message: String
        /// Weir's name for the failure, for debugging.
        package let debugDescription: String
    }

    /// The domain and code that fit best, with the sentence of the source.
    package var bridged: Bridged {
        switch self {
        case .source(let error):
            let (domain, code) = Self.publicCodes[error.code] ?? Self.url(.unknown)
            return Bridged(
                domain: domain,
                code: code,
                message: error.message,
                debugDescription: "SourceError.\(error.code)"
            )
        case .endedEarly(let position, let end):
            return Bridged(
                domain: Self.urlDomain,
                code: URLError.Code.networkConnectionLost.rawValue,
                message:
                    "The medium ended at byte \(position) of \(end); play it again to get the rest.",
                debugDescription: "LoadingFailure.endedEarly"
            )
        case .typeNotAllowed(let type):
            return Bridged(
                domain: Self.mediaDomain,
                code: Self.fileFormatNotRecognized,
                message: "The player does not accept \(type?.description ?? "this type");"
                    + " use a player that supports the format.",
                debugDescription: "LoadingFailure.typeNotAllowed"
            )
        case .cancelled:
            return Bridged(
                domain: Self.cocoaDomain,
                code: CocoaError.Code.userCancelled.rawValue,
                message: "The player no longer needs the request.",
                debugDescription: "LoadingFailure.cancelled"
            )
        }
    }

    private static let urlDomain = "NSURLErrorDomain"
    private static let cocoaDomain = "NSCocoaErrorDomain"
    private static let mediaDomain = "AVFoundationErrorDomain"

    /// `AVError.Code.fileFormatNotRecognized`, which only Apple platforms have.
    private static let fileFormatNotRecognized = -11828

    private static func url(_ code: URLError.Code) -> (domain: String, code: Int) {
        (self.urlDomain, code.rawValue)
    }

    private static let publicCodes: [SourceError.Code: (domain: String, code: Int)] = [
        .invalidRequest: url(.badURL),
        .notFound: url(.fileDoesNotExist),
        .unauthorized: url(.userAuthenticationRequired),
        .forbidden: url(.noPermissionsToReadFile),
        .rangeNotSatisfiable: url(.resourceUnavailable),
        .changed: url(.resourceUnavailable),
        .notMedia: (mediaDomain, fileFormatNotRecognized),
        .badAnswer: url(.badServerResponse),
        .truncated: url(.networkConnectionLost),
        .unreachable: url(.cannotConnectToHost),
        .timedOut: url(.timedOut),
        .insecure: url(.secureConnectionFailed),
        .throttled: url(.resourceUnavailable),
        .originFailed: url(.badServerResponse),
        .offline: url(.notConnectedToInternet),
        .cacheFailed: (cocoaDomain, CocoaError.Code.fileReadUnknown.rawValue),
        .wrongKey: url(.cannotDecodeRawData),
        .damaged: url(.cannotDecodeContentData),
        .closed: url(.cancelled),
        .failed: url(.unknown),
    ]
}
