// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why the cache could not do something.
///
/// ``message`` is one sentence for a person: what was tried, what happened, what to do. It names
/// files of the cache, never where a resource comes from.
public struct CacheError: Error, Sendable {
    /// What went wrong, as a kind that code can act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The cache's path, or a part of it, is a file.
        public static let notADirectory = Code("notADirectory")
        /// This user may not write there.
        public static let notWritable = Code("notWritable")
        /// No space is left, on the disk or of the user's share of it.
        public static let full = Code("full")
        /// Another process, or another cache of this one, owns the directory.
        public static let inUse = Code("inUse")
        /// A newer Weir wrote this; it was left as it is.
        public static let newerFormat = Code("newerFormat")
        /// Too many files are open, or the memory is used up.
        public static let exhausted = Code("exhausted")
        /// The disk failed, or something in the directory is not what it must be.
        public static let io = Code("io")
        /// The cache was closed.
        public static let closed = Code("closed")
        /// Not all of a resource is held.
        public static let incomplete = Code("incomplete")
        /// A length was told that does not agree with what is known, or bytes past the end came.
        public static let lengthConflict = Code("lengthConflict")

        /// Every code.
        package static let all: [Code] = [
            .notADirectory, .notWritable, .full, .inUse, .newerFormat, .exhausted, .io, .closed,
            .incomplete, .lengthConflict,
        ]

        /// The code of a name, as ``description`` gives it; `nil` if there is none.
        public init?(named name: String) {
            guard let code = Code.all.first(where: { $0.description == name }) else { return nil }
            self = code
        }
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// The file or directory that it happened to.
    public var path: String?
    /// The system's number for the reason, where a system call failed.
    public var errno: CInt?
    /// The process that owns the directory, for ``Code/inUse``, where it is known.
    public var owner: Int32?
    /// What was underneath.
    public var cause: (any Error)?

    /// Describes a failure.
    public init(
        _ code: Code,
        _ message: String,
        path: String? = nil,
        errno: CInt? = nil,
        owner: Int32? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.errno = errno
        self.owner = owner
        self.cause = cause
    }

    /// Describes a system call that failed.
    ///
    /// - Parameters:
    ///   - attempt: what was tried, to stand after "Could not": `open the cache directory`.
    ///   - path: the file or directory.
    ///   - failure: the call.
    init(_ attempt: String, path: String, failure: FileFailure) {
        let errno = failure.errno
        let code: Code =
            if SystemErrors.isFullness(errno) {
                .full
            } else if SystemErrors.isRefusal(errno) {
                .notWritable
            } else if SystemErrors.isNoDirectory(errno) {
                .notADirectory
            } else if SystemErrors.isShortage(errno) {
                .exhausted
            } else {
                .io
            }
        let reason = SystemErrors.reason(failure)
        let advice = SystemErrors.advice(failure)
        self.init(
            code,
            "Could not \(attempt) \(path): \(reason); \(advice).",
            path: path,
            errno: errno,
            cause: failure
        )
    }

    /// What every call of a closed cache throws.
    static func closed(_ directory: String) -> CacheError {
        CacheError(
            .closed,
            "The cache \(directory) was closed while it was still used; open it again.",
            path: directory
        )
    }

    /// What opening a directory throws that has another owner.
    static func inUse(_ directory: String, owner: Int32?, isOurs: Bool) -> CacheError {
        let user =
            if isOurs {
                "this process"
            } else if let owner {
                "process \(owner)"
            } else {
                "another process"
            }
        return CacheError(
            .inUse,
            "Could not open the cache directory \(directory): \(user) uses it already; end that use, "
                + "or choose another cache directory.",
            path: directory,
            owner: owner
        )
    }

    /// What an export throws of a resource that is not held whole.
    static func incomplete(_ generation: Generation) -> CacheError {
        let whole = generation.description.length.map { " of \($0)" } ?? ""
        return CacheError(
            .incomplete,
            "Could not export a resource of which \(generation.heldByteCount)\(whole) bytes are held; "
                + "download the rest with weir get, and export it then.",
            path: generation.file.path
        )
    }

    /// What every call throws that meets a file of a later version.
    static func newerFormat(_ path: String, version: some BinaryInteger) -> CacheError {
        CacheError(
            .newerFormat,
            "Could not read \(path): a newer Weir wrote it (format \(version)); use that version, "
                + "or choose another cache directory.",
            path: path
        )
    }
}

extension CacheError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { self.description }

    /// The sentence.
    public var description: String { self.message }
}
