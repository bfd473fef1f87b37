// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Why the cache could not do something.
///
/// ``message`` is one sentence for a person: the attempt, the failure, the remedy. It names files
/// of the cache, never the source of a resource.
public struct CacheError: ExplainedError {
    /// The kind of failure, for code that acts on it.
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
        /// This user may not write to the file or directory.
        public static let notWritable = Code("notWritable")
        /// The disk is full, or the user's share of it is used up.
        public static let full = Code("full")
        /// Another process, or another cache of this process, owns the directory.
        public static let inUse = Code("inUse")
        /// A newer Weir wrote the file, which stays unchanged.
        public static let newerFormat = Code("newerFormat")
        /// Too many files are open, or memory is used up.
        public static let exhausted = Code("exhausted")
        /// The disk failed, or the directory has unexpected contents.
        public static let io = Code("io")
        /// The cache was closed.
        public static let closed = Code("closed")
        /// The resource is not completely held.
        public static let incomplete = Code("incomplete")
        /// A given length contradicts the known facts, or bytes past the end arrived.
        public static let lengthConflict = Code("lengthConflict")

        /// Every code.
        package static let all: [Code] = [
            .notADirectory, .notWritable, .full, .inUse, .newerFormat, .exhausted, .io, .closed,
            .incomplete, .lengthConflict,
        ]

        /// Finds the code with the given ``description``; `nil` if there is none.
        public init?(named name: String) {
            guard let code = Code.all.first(where: { $0.description == name }) else { return nil }
            self = code
        }
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String
    /// The file or directory that caused the failure.
    public var path: String?
    /// The system's error number, if a system call failed.
    public var errno: CInt?
    /// The process that owns the directory, for ``Code/inUse``, if known.
    public var owner: Int32?
    /// The underlying error.
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

    /// Describes a failed system call.
    ///
    /// - Parameters:
    ///   - attempt: the attempted action, to follow "Could not": `open the cache directory`.
    ///   - path: the file or directory.
    ///   - failure: the failed call.
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

    /// The error of every call to a closed cache.
    static func closed(_ directory: String) -> CacheError {
        CacheError(
            .closed,
            "The cache \(directory) was closed while it was still in use; open it again.",
            path: directory
        )
    }

    /// The error of opening a directory that has another owner.
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
            "Could not open the cache directory \(directory): \(user) already uses it; close the cache there, or "
                + "choose another cache directory.",
            path: directory,
            owner: owner
        )
    }

    /// The error of exporting a resource that is not completely held.
    static func incomplete(_ generation: Generation) -> CacheError {
        let whole = generation.description.length.map { " of \($0)" } ?? ""
        return CacheError(
            .incomplete,
            "Could not export a resource: the cache holds \(generation.heldByteCount)\(whole) bytes of it; download "
                + "the rest with weir get, and export it then.",
            path: generation.file.path
        )
    }

    /// The error of reading a file of a later version.
    static func newerFormat(_ path: String, version: some BinaryInteger) -> CacheError {
        CacheError(
            .newerFormat,
            "Could not read \(path): a newer Weir wrote it (format \(version)); use that version, "
                + "or choose another cache directory.",
            path: path
        )
    }
}
