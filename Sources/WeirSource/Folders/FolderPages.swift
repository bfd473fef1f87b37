// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The entries of a folder, page by page, in the storage's order; each page is asked for when it is wanted.
///
/// Iterated once. A page may be empty; memory holds one page at a time.
public struct FolderPages: AsyncSequence, Sendable {
    private let producer: @Sendable () -> @Sendable () async throws -> [FolderEntry]?

    /// Pages that a function yields.
    ///
    /// - Parameter makeNext: called once for each iteration; what it returns yields the next page at each call, `nil`
    ///   after the last.
    public init(
        _ makeNext: @escaping @Sendable () -> @Sendable () async throws -> [FolderEntry]?
    ) {
        self.producer = makeNext
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(produce: self.producer())
    }

    /// Asks for one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let produce: @Sendable () async throws -> [FolderEntry]?

        /// The next page, or `nil` after the last.
        ///
        /// - Throws: ``SourceError``: `notFound`, `invalidRequest` for a file; `CancellationError`.
        public func next() async throws -> [FolderEntry]? {
            try Task.checkCancellation()
            return try await self.produce()
        }
    }
}
