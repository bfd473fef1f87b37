// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The credential that a request carried, in the words of an error message about its refusal.
package enum SentCredential: Hashable, Sendable {
    /// The request carried no credential.
    case none
    /// The request carried a credential from a variable, a file or an option; `nil` for an unknown
    /// source.
    case one(from: String?)

    /// Words in field names that mark a credential, such as `key` in `X-Api-Key`.
    private static let words = ["token", "auth", "key", "secret"]

    /// Finds the credential among the fields of a request.
    package init(in headers: HTTPHeaderList) {
        let credential =
            headers.first(named: "Authorization") ?? headers.first(named: "Cookie")
            ?? headers.headers.first { field in
                let name = field.name.lowercased()
                return Self.words.contains { name.contains($0) }
            }
        self = credential.map { .one(from: $0.place) } ?? .none
    }

    /// The credential without its source, for messages that people other than the credential's
    /// owner may read.
    package var withoutPlace: SentCredential { self == .none ? .none : .one(from: nil) }

    /// The clause after a 401: `none was sent`, `the one in TOKEN was refused`.
    package var refusal: String {
        switch self {
        case .none: "none was sent"
        case .one(nil): "the one that was sent was refused"
        case .one(let place?): "the one in \(place) was refused"
        }
    }

    /// The credential as a noun: `the credential in TOKEN`; `nil` for none.
    package var noun: String? {
        switch self {
        case .none: nil
        case .one(nil): "the credential that was sent"
        case .one(let place?): "the credential in \(place)"
        }
    }
}
