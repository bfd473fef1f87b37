// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why something cannot be decrypted or encrypted.
///
/// ``message`` is one sentence for a person: what was tried, what happened, what to do. No key, no passphrase and
/// no part of one is in it.
public struct CipherError: Error, Sendable {
    /// What went wrong, as a kind that code can act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// What was given is no key, no passphrase or no identity: a wrong length, a wrong alphabet.
        public static let invalidKey = Code("invalidKey")
        /// What was given beside the key makes no sense: an initialization vector of a wrong length.
        public static let invalidSettings = Code("invalidSettings")
        /// The key, or none of the keys, is the one that the file was encrypted with.
        public static let wrongKey = Code("wrongKey")
        /// The file is not what was written: bits have flipped, or a part is missing.
        public static let damaged = Code("damaged")
        /// The file is of another format, or of a version or with a feature that Weir does not know.
        public static let unsupported = Code("unsupported")
        /// The file demands more work or memory than the limit allows.
        public static let tooCostly = Code("tooCostly")
        /// The file is still to come: too few bytes were given to see what it is.
        public static let incomplete = Code("incomplete")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// Where in the file, in stored bytes, if one place is meant.
    public var offset: Int64?

    /// Describes a failure.
    public init(_ code: Code, _ message: String, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension CipherError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { self.description }

    /// The sentence.
    public var description: String { self.message }
}

extension CipherError {
    /// A file that is shorter than any file of its format, or has a length that none can have.
    static let cutOff = CipherError(
        .damaged,
        "The file has a length that no encrypted file of this format can have: it is cut off, or was encrypted in another"
            + " way."
    )
}

extension SourceError {
    /// The error that a reader gets for a failure to decrypt.
    init(_ error: CipherError) {
        let code: Code =
            switch error.code {
            case .wrongKey: .wrongKey
            case .invalidKey, .invalidSettings: .invalidRequest
            case .damaged, .incomplete: .damaged
            default: .notMedia
            }
        self.init(code, error.message, cause: error)
    }
}
