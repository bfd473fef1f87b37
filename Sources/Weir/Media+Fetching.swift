// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WeirCache
import WeirSharing
import WeirSource

// Stores all of a medium in the cache, or in a file.
extension Media {
    /// Fetches every missing byte and stores it in the cache; returns when the whole medium is held.
    ///
    /// The call does not fetch held bytes again. The library's limits apply to the medium: call ``pin()`` first to
    /// keep the medium regardless of them. For a file of this machine the call fetches nothing. For many media, and
    /// across restarts, use ``DownloadQueue``.
    ///
    ///     let progress = Progress(totalUnitCount: -1)
    ///     try await song.pin()
    ///     try await song.fetch(progress: progress)
    ///
    /// - Parameter progress: reports the bytes: its `totalUnitCount` is the length of the medium, or -1 while that
    ///   is unknown; its `completedUnitCount` is the number of held bytes, including those that other readers
    ///   fetched. An empty medium counts as one unit. Cancelling it cancels the call, and keeps the bytes received
    ///   so far. The call sets its `cancellationHandler` while it runs, and also calls the previous handler.
    /// - Throws: ``/WeirSource/SourceError`` if a byte cannot be fetched, with `cacheFailed` if it cannot be
    ///   stored; ``/WeirCache/CacheError``; `CancellationError`.
    public func fetch(progress: Progress? = nil) async throws {
        let report = ProgressReport(progress: progress)
        let length = try await report.perform { try await self.fetch(report) }
        report.finish(length ?? 0)
    }

    /// Fetches one hole after the other, each once, and returns the length.
    private func fetch(_ report: ProgressReport) async throws -> Int64? {
        guard let identifier else { return try await self.describe().length }
        await self.openHeld()
        var next: Int64 = 0
        while let hole = self.firstHole(from: next) {
            let reading = try await self.read(
                hole.upperBound == .max ? .from(hole.lowerBound) : .span(hole)
            )
            next = hole.lowerBound
            for try await chunk in reading {
                next += Int64(chunk.count)
                let now = self.availability
                report.expect(now.length)
                report.reach(max(now.held.byteCount, chunk.range.upperBound - hole.lowerBound))
            }
            if reading.resource.length == 0 { return 0 }
            if hole.upperBound == .max { break }
            next = max(next, hole.upperBound)
        }
        let now = self.availability
        if now.isComplete { return now.length }
        // If another process owns the directory, its report of the last bytes arrives a moment later.
        if case .resources(let resources) = try await self.access.perform(.list),
            let resource = resources.first(where: { $0.identifier == identifier }),
            resource.isComplete
        {
            return resource.length
        }
        throw SourceError(
            .cacheFailed,
            "\(self.display) was fetched, but the cache could not keep all of it; check whether the disk or the cache's"
                + " limit is full, or whether the origin forbids storing it."
        )
    }

    /// The first missing range at or behind an offset; `nil` if no byte is missing.
    ///
    /// It ends at `Int64.max` while the length is unknown.
    private func firstHole(from offset: Int64) -> Range<Int64>? {
        let now = self.availability
        let end = now.length ?? .max
        guard offset < end, let start = now.held.firstMissing(in: offset..<end) else { return nil }
        return now.held.hole(containing: start, before: end).map { start..<$0.upperBound }
    }

    /// Writes the whole medium to a plain file, as its readers see it.
    ///
    /// Missing bytes are fetched and stored in the cache; encrypted bytes are decrypted. The file gets its name
    /// when it is complete; it replaces an existing file.
    ///
    /// - Parameters:
    ///   - file: the URL of the file to write.
    ///   - progress: reports the bytes: its `totalUnitCount` is the length of the medium, or -1 while that is
    ///     unknown; its `completedUnitCount` is the number of written bytes. An empty medium counts as one unit. If
    ///     the medium is held whole and is not decrypted, the cache copies it, and only the end is reported.
    ///     Cancelling it cancels the call, which then leaves no new file and keeps an existing one. The call sets
    ///     its `cancellationHandler` while it runs, and also calls the previous handler.
    /// - Returns: the length of the file in bytes.
    /// - Throws: ``/WeirCache/CacheError`` or `CocoaError` if the file cannot be written;
    ///   ``/WeirSource/SourceError`` if missing bytes cannot be fetched; `CancellationError`.
    @discardableResult
    public func export(to file: URL, progress: Progress? = nil) async throws -> Int64 {
        let report = ProgressReport(progress: progress)
        let count = try await report.perform {
            let now = self.availability
            if let identifier = self.identifier, !self.isDecrypted, now.isComplete {
                report.expect(now.length)
                let path = Cache.absolutePath(file.path(percentEncoded: false))
                let command = CacheCommand.export(identifier, path: path)
                if case .exported(let count) = try await self.access.perform(command) {
                    return count
                }
            }
            return try await self.copy(to: file, report)
        }
        report.finish(count)
        return count
    }

    /// Writes the bytes that a reader gets into a file beside the target, and renames it.
    private func copy(to file: URL, _ report: ProgressReport) async throws -> Int64 {
        let folder = file.deletingLastPathComponent()
        let unfinished = folder.appending(
            path: ".\(file.lastPathComponent).\(UUID().uuidString)",
            directoryHint: .notDirectory
        )
        let reading = try await self.read(.whole)
        report.expect(reading.upperBound)
        try Data().write(to: unfinished, options: .withoutOverwriting)
        var count: Int64 = 0
        do {
            let handle = try FileHandle(forWritingTo: unfinished)
            defer { try? handle.close() }
            for try await chunk in reading {
                let memory = try chunk.memory()
                try memory.withUnsafeBytes { try handle.write(contentsOf: Data($0)) }
                count += Int64(memory.count)
                report.reach(count)
            }
            try handle.synchronize()
            try Task.checkCancellation()
            guard
                rename(unfinished.path(percentEncoded: false), file.path(percentEncoded: false))
                    == 0
            else {
                throw CocoaError(
                    .fileWriteUnknown,
                    userInfo: [NSFilePathErrorKey: file.path(percentEncoded: false)]
                )
            }
        } catch {
            try? FileManager.default.removeItem(at: unfinished)
            throw error
        }
        return count
    }
}
