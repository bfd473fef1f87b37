// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

// Commands on a resource other than playing it.
extension Cache {
    /// Pins or unpins a resource; eviction never removes a pinned resource.
    ///
    /// The pin also applies to the resource's later generations. Waits for the disk: after the
    /// function returns, no power cut undoes the change.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits.
    ///   - isPinned: whether to pin the resource.
    /// - Returns: whether there is such a resource.
    /// - Throws: ``CacheError`` with `notWritable`, `full`, `io`, `newerFormat`, `exhausted`,
    ///   `closed`.
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

    /// Compares all held bytes of a resource with their checksums, even those that were compared
    /// before.
    ///
    /// Damaged bytes become holes, which the next reader fetches again. Takes the time that the
    /// disk needs to read all bytes.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Returns: the result of the comparison; `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `notWritable`, `newerFormat`, `exhausted`, `io`, `closed`.
    package func verify(identifier: String) throws(CacheError) -> CacheVerification? {
        guard let generation = try self.generation(identifier) else { return nil }
        defer { generation.release() }
        generation.state.withLock { $0.doubt() }
        let lost = generation.check(0..<Int64.max, in: try generation.openedFile()).lost
        let sound = generation.state.withLock { $0.heldCount }
        return CacheVerification(soundByteCount: sound, damagedByteCount: lost)
    }

    /// Copies a resource to a plain file, which gets its name when it is complete and durable.
    ///
    /// Compares every byte with its checksum first. The copy shares its blocks with the cache if
    /// the file system supports that.
    ///
    /// - Parameters:
    ///   - identifier: 32 hexadecimal digits.
    ///   - path: the file. An existing file or link is replaced; a link is not followed.
    ///   - checkCancellation: called before each piece of 16 MiB is compared or copied, and before
    ///     the file gets its name. If it throws, no file is created, and an existing file stays.
    /// - Returns: the size of the file in bytes; `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `incomplete` if the resource is not completely held, or its
    ///   length is unknown; `full`, `notWritable`, `notADirectory`, `io`, `newerFormat`,
    ///   `exhausted`, `closed`; the error that `checkCancellation` throws.
    package func export(
        identifier: String,
        to path: String,
        checkCancellation: () throws -> Void = {}
    ) throws -> Int64? {
        guard let generation = try self.generation(identifier) else { return nil }
        defer { generation.release() }
        let file = try generation.openedFile()
        guard let length = generation.description.length, generation.hasWritten(0..<length) else {
            throw CacheError.incomplete(generation)
        }
        let pieces = stride(from: 0, to: length, by: 16 << 20).map { start in
            start..<min(length, start.addingClamped(16 << 20))
        }
        for piece in pieces {
            try checkCancellation()
            generation.check(piece, in: file)
        }
        guard generation.hasWritten(0..<length) else { throw CacheError.incomplete(generation) }
        let target = Self.absolutePath(path)
        // The random name prevents another user from placing a file or a link there first.
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
        let generation = try self.open(id)
        generation?.writeAccepted()
        return generation
    }
}

/// The result of comparing a resource's cached bytes with their checksums.
public struct CacheVerification: Hashable, Sendable {
    /// How many held bytes match their checksums.
    public var soundByteCount: Int64
    /// How many bytes were damaged or could not be read; the cache no longer holds them.
    public var damagedByteCount: Int64

    /// Creates a result with the given numbers.
    public init(soundByteCount: Int64, damagedByteCount: Int64) {
        self.soundByteCount = soundByteCount
        self.damagedByteCount = damagedByteCount
    }
}
