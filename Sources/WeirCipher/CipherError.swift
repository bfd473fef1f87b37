// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Why Weir cannot decrypt or encrypt a file.
///
/// ``message`` is one sentence for a user: what Weir tried, what happened, what to do. It contains no part of a key
/// or a passphrase.
public struct CipherError: ExplainedError {
    /// The kind of a failure, which code can act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The given value is not a key, a passphrase or an identity: a wrong length, a wrong alphabet.
        public static let invalidKey = Code("invalidKey")
        /// A setting besides the key is invalid: an initialization vector of a wrong length.
        public static let invalidSettings = Code("invalidSettings")
        /// The file was not encrypted with the key, or with any of the keys.
        public static let wrongKey = Code("wrongKey")
        /// The file differs from the written one: changed bits, or a missing part.
        public static let damaged = Code("damaged")
        /// The file has another format, or a version or a feature that Weir does not support.
        public static let unsupported = Code("unsupported")
        /// The file demands more work or memory than the limit allows.
        public static let tooCostly = Code("tooCostly")
        /// The file is incomplete so far: too few bytes were given to identify it.
        public static let incomplete = Code("incomplete")
    }

    /// The kind of the failure.
    public var code: Code
    /// One sentence for a user.
    public var message: String
    /// The position in the file, in stored bytes, if the failure has one.
    public var offset: Int64?

    /// Creates an error.
    public init(_ code: Code, _ message: String, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension CipherError {
    /// The error for a file that is shorter than any file of its format, or has an impossible length.
    static let cutOff = CipherError(
        .damaged,
        "The file has a length that no encrypted file of this format can have: it is cut off, or was encrypted in another"
            + " way."
    )
}

extension SourceError {
    /// The error for the reader after a failure to decrypt.
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
