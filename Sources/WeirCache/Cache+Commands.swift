// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

// What a user does with a resource, beside playing it.
extension Cache {
    /// Keeps a resource whatever the limits are, or no longer.
    ///
    /// Holds for its later generations, too. Waits for the disk: when it returns, no power cut undoes it.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits.
    ///   - isPinned: whether it is to be kept.
    /// - Returns: whether there is such a resource.
    /// - Throws: ``CacheError`` with `notWritable`, `full`, `io`, `newerFormat`, `exhausted`, `closed`.
    @discardableResult
    package func pin(identifier: String, _ isPinned: Bool = true) throws(CacheError) -> Bool {
        guard let generation = try self.generation(identifier) else { return false }
        defer { generation.release() }
        generation.state.withLock { $0.pinned(isPinned) }
        let failure = self.work.perform { () -> CacheError? in
            self.state.withLock { $0.index.pin(generation.key, isPinned) }
            if let failure = self.save(generation) { return failure }
            self.tellCatalogue { catalogue throws(CacheError) in
                try catalogue.pin(generation.key, isPinned)
            }
            return nil
        }
        if let failure { throw failure }
        if !isPinned { self.evictIfNeeded(.strict) }
        return true
    }

    /// Compares everything that is held of a resource with its checksums, whether or not this process did so
    /// before.
    ///
    /// What is damaged is a hole from then on, and is fetched again when it is wanted. Takes the time that the disk
    /// needs to read it all.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Returns: what was found; `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `notWritable`, `newerFormat`, `exhausted`, `closed`.
    package func verify(identifier: String) throws(CacheError) -> CacheVerification? {
        guard let generation = try self.generation(identifier) else { return nil }
        defer { generation.release() }
        generation.state.withLock { $0.doubt() }
        let lost = generation.check(0..<Int64.max, in: try generation.openedFile()).lost
        return CacheVerification(soundByteCount: generation.heldByteCount, damagedByteCount: lost)
    }

    /// Copies a resource to a plain file, which appears under its name when it is whole and durable.
    ///
    /// Every byte is compared with its checksum before. The copy shares its blocks with the cache where the file
    /// system can do that.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits.
    ///   - path: the file; replaced if it is there, and a link likewise, which is not followed.
    ///   - checkCancellation: called before each piece of 16 MiB is compared or copied, and before the file gets its
    ///     name; if it throws, there is no file, and an older one stays.
    /// - Returns: how many bytes it has; `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `incomplete` if not all of it is held, or its length is not known; `full`,
    ///   `notWritable`, `notADirectory`, `io`, `newerFormat`, `exhausted`, `closed`; what `checkCancellation` throws.
    package func export(
        identifier: String,
        to path: String,
        checkCancellation: () throws -> Void = {}
    ) throws -> Int64? {
        guard let generation = try self.generation(identifier) else { return nil }
        defer { generation.release() }
        let file = try generation.openedFile()
        guard let length = generation.description.length, generation.holds(0..<length) else {
            throw CacheError.incomplete(generation)
        }
        let pieces = stride(from: 0, to: length, by: 16 << 20).map { start in
            start..<min(length, start.addingClamped(16 << 20))
        }
        for piece in pieces {
            try checkCancellation()
            generation.check(piece, in: file)
        }
        guard generation.holds(0..<length) else { throw CacheError.incomplete(generation) }
        let target = Self.absolutePath(path)
        // No other user can put a file or a link there first.
        let temporary = "\(target).weir-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let disk = self.files.disk
        let descriptor: CInt
        do throws(FileFailure) {
            descriptor = try disk.open(temporary, for: .exporting)
        } catch {
            throw CacheError("write", path: target, failure: error)
        }
        do {
            defer { disk.close(descriptor) }
            for piece in pieces {
                try checkCancellation()
                try disk.copy(piece, from: file.handle, to: descriptor)
            }
            try disk.synchronize(descriptor)
            try checkCancellation()
            try disk.rename(temporary, to: target)
        } catch {
            _ = try? disk.remove(temporary)
            guard let failure = error as? FileFailure else { throw error }
            throw CacheError("write", path: target, failure: failure)
        }
        return length
    }

    private func generation(_ identifier: String) throws(CacheError) -> Generation? {
        guard let id = ResourceID(identifier.lowercased()) else { return nil }
        return try self.open(id)
    }
}

/// What a comparison of a resource's cached bytes with their checksums has found.
public struct CacheVerification: Hashable, Sendable {
    /// How many bytes are held, and are what was written.
    public var soundByteCount: Int64
    /// How many bytes were not what was written, or could not be read; they are held no longer.
    public var damagedByteCount: Int64

    /// Describes what was found.
    public init(soundByteCount: Int64, damagedByteCount: Int64) {
        self.soundByteCount = soundByteCount
        self.damagedByteCount = damagedByteCount
    }
}
