// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

// How fetched bytes come into the file: readers get them from memory until they are there.
extension Generation {
    /// How long a fetch waits for a disk that takes no byte; then it continues without the cache.
    package static let diskPatience = Duration.seconds(5)
    /// How many bytes are written before another generation has its turn: 1 MiB.
    private static let turn: Int64 = 1 << 20

    /// Takes bytes that are not held yet, and returns at once.
    ///
    /// The bytes are readable when the function returns, and a thread of the cache writes them to the file. Leaves
    /// held bytes as they are. While ``isCrowded``, the caller waits with ``waitForRoom(_:)``.
    ///
    /// - Throws: ``CacheError`` with `lengthConflict` for bytes past the end; `closed`; or the reason why earlier
    ///   bytes could not be written, which every later call throws again.
    package func accept(_ bytes: ByteMemory, at offset: Int64) throws(CacheError) {
        guard bytes.count > 0 else { return }
        let range = try self.range(of: bytes, at: offset)
        guard let cache = self.cache else { throw CacheError.closed(self.file.path) }
        let (count, begins) = try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.file.path) }
            try self.checkWrite(of: range, state)
            let before = state.accepted.count
            var position = range.lowerBound
            while let part = state.nextUnknown(in: position..<range.upperBound) {
                let lower = Int(part.lowerBound - offset)
                state.accepted.add(bytes[lower..<lower + Int(part.count)], at: part.lowerBound)
                position = part.upperBound
            }
            let begins = !state.accepted.isEmpty && !state.isWriting
            if begins { state.isWriting = true }
            return (state.accepted.count - before, begins)
        }
        cache.accepted(count, by: self)
        if begins { self.enqueueTurn(cache) }
    }

    /// Lets a thread of the cache write some accepted bytes, and then others after those of other generations.
    private func enqueueTurn(_ cache: Cache) {
        cache.work.enqueue(writesOf: self.id) {
            if self.mayOpenFile(cache) { self.writeAccepted(atMost: Self.turn) }
            let goesOn = self.state.withLock { state in
                state.isWriting = state.failure == nil && !state.accepted.isEmpty
                return state.isWriting
            }
            if goesOn { self.enqueueTurn(cache) }
        }
    }

    /// Whether this turn may write: the file is open, or may be opened.
    ///
    /// Gives up all writing if the saves of other files have stopped. Otherwise the next turn asks again.
    private func mayOpenFile(_ cache: Cache) -> Bool {
        guard self.failure == nil, self.file.ifOpen == nil, !cache.waitForRoom() else {
            return true
        }
        if cache.saves.hasStalled { self.giveUp(cache, "has saved no file") }
        return false
    }

    /// Whether so many accepted bytes wait for the disk that a fetch must wait, too.
    package var isCrowded: Bool {
        let weight = self.state.withLock { $0.accepted.weight }
        // A generation without waiting bytes does not wait for the others.
        return weight > AcceptedBytes.limit || (weight > 0 && self.cache?.isCrowded == true)
    }

    /// Waits until the disk has taken enough of the accepted bytes.
    ///
    /// - Parameter timeline: measures the time.
    /// - Throws: ``CacheError`` if a write fails, or the disk takes no byte of this generation for ``diskPatience``;
    ///   every later call of ``accept(_:at:)`` throws it again. `CancellationError`.
    package func waitForRoom(_ timeline: Timeline) async throws {
        while let cache = self.cache {
            let (count, progress) = (self.written.count, cache.writes.progress)
            if let failure { throw failure }
            guard self.isCrowded else { return }
            // A disk that has stopped is not waited for again until it takes a byte.
            if !cache.writes.hasStalled {
                let patience = Self.diskPatience
                if try await self.written.wait(after: count, atMost: patience, on: timeline) {
                    continue
                }
            }
            let hasStalled = cache.writes.waited(since: progress)
            throw self.giveUp(
                cache,
                hasStalled ? "has taken no byte" : "has taken no byte of this resource"
            )
        }
    }

    /// Ends all writing, since the disk has not done something for ``diskPatience``.
    ///
    /// The accepted bytes stay readable until the last user has left.
    @discardableResult
    private func giveUp(_ cache: Cache, _ reason: String) -> CacheError {
        let error = CacheError(
            .io,
            "The disk of \(cache.directory) \(reason) for 5 s; check the disk.",
            path: cache.directory
        )
        self.state.withLock { $0.failed(error) }
        self.dropAccepted()
        if self.isCurrent { cache.degraded(error) }
        return error
    }

    /// Writes accepted bytes: those that are accepted at the time of the call, or up to a limit.
    ///
    /// Returns early after a failure. The other bytes then stay readable in memory until the last user has left.
    func writeAccepted(atMost limit: Int64? = nil) {
        var rest = limit ?? self.state.withLock { $0.accepted.count }
        guard rest > 0 else { return }
        self.writing.withLock { _ in
            while rest > 0, let piece = self.nextAccepted() {
                do throws(CacheError) {
                    let memory = try self.memory(of: piece)
                    try self.store(memory, at: piece.range.lowerBound, isCounted: true)
                } catch {
                    self.state.withLock { $0.failed(error) }
                    break
                }
                rest -= Int64(piece.count)
                let wasGivenUp = self.state.withLock { state in
                    state.accepted.removeFirst()
                    return state.hasForgone
                }
                let count = Int64(piece.count)
                self.cache?.wroteAccepted(count, of: self, wasGivenUp: wasGivenUp)
                self.written.raise()
            }
        }
        self.dropAccepted()
    }

    private func nextAccepted() -> ByteChunk? {
        self.state.withLock { $0.failure == nil ? $0.accepted.first : nil }
    }

    private func memory(of piece: ByteChunk) throws(CacheError) -> ByteMemory {
        guard case .memory(let memory) = piece.content else {
            throw CacheError.closed(self.file.path)
        }
        return memory
    }

    /// Notes that the accepted bytes of a failed generation will not be written: they no longer count as held.
    ///
    /// Frees them if the generation has no user and no lease. Does nothing while no write has failed.
    func dropAccepted() {
        guard self.failure != nil else { return }
        let count = self.state.withLock { state in
            defer { state.hasForgone = true }
            return state.coming
        }
        self.cache?.gaveUpAccepted(count, of: self)
        self.written.raise()
        if !self.file.isHeld { self.state.withLock { $0.accepted = AcceptedBytes() } }
    }

    /// Writes bytes that are not held yet, and returns when the system has them.
    ///
    /// Leaves held bytes as they are. Blocks while the system copies the bytes; does not wait for the disk.
    ///
    /// - Throws: ``CacheError`` with `lengthConflict` for bytes past the end; `closed`; or `full`, `io` and the other
    ///   reasons why a file cannot be written, which every later write throws again. Bytes before the failed ones may
    ///   have been kept.
    package func write(_ bytes: ByteMemory, at offset: Int64) throws(CacheError) {
        guard bytes.count > 0 else { return }
        try self.writing.withLock { _ throws(CacheError) in
            guard !self.state.withLock({ $0.isClosed }) else {
                throw CacheError.closed(self.file.path)
            }
            try self.store(bytes, at: offset, isCounted: false)
        }
    }

    /// Writes bytes; the caller holds ``writing``.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - offset: their position.
    ///   - isCounted: whether the cache has counted them already.
    /// - Throws: as ``write(_:at:)``.
    private func store(
        _ bytes: ByteMemory,
        at offset: Int64,
        isCounted: Bool
    ) throws(CacheError) {
        let range = try self.range(of: bytes, at: offset)
        guard let cache = self.cache else { throw CacheError.closed(self.file.path) }
        try bytes.withUnsafeBytes { buffer throws(CacheError) in
            while let part = try self.nextPart(of: range) {
                let lower = Int(part.lowerBound - offset)
                let upper = Int(part.upperBound - offset)
                let new = UnsafeRawBufferPointer(rebasing: buffer[lower..<upper])
                let file: DataFile
                do throws(CacheError) {
                    file = try self.openedFile()
                    try file.write(new, at: part.lowerBound)
                } catch {
                    self.state.withLock { $0.failed(error) }
                    // If the generation was removed in the meantime, the failure does not matter.
                    if self.isCurrent { cache.degraded(error) }
                    throw error
                }
                let pieces = BlockPiece.pieces(of: new, at: part)
                if let demand = self.wrote(part, pieces, file) {
                    cache.wrote(isCounted ? 0 : Int64(part.count), to: self, demand)
                    cache.claimWritten(of: self)
                }
            }
        }
    }

    /// The range of some bytes, which a resource can have.
    private func range(of bytes: ByteMemory, at offset: Int64) throws(CacheError) -> Range<Int64> {
        let end = offset.addingClamped(Int64(bytes.count))
        guard let range = ResourceLength.checked(from: offset, to: end) else {
            throw CacheError(
                .lengthConflict,
                "Could not keep bytes at offset \(offset): a resource cannot be that long; fetch the resource again.",
                path: self.file.path
            )
        }
        return range
    }

    /// Notes bytes that were written to the file, which stays open until they are durable.
    ///
    /// The system reports a failed write to the disk only through descriptors that were open at the write.
    private func wrote(
        _ range: Range<Int64>,
        _ pieces: [BlockPiece],
        _ file: DataFile
    ) -> GenerationState.CheckpointDemand? {
        self.state.withLock { state in
            let demand = state.wrote(range, pieces)
            if state.unsavedCount > 0 { state.unsavedFile = file }
            return demand
        }
    }

    private func nextPart(of range: Range<Int64>) throws(CacheError) -> Range<Int64>? {
        try self.state.withLock { state throws(CacheError) in
            try self.checkWrite(of: range, state)
            return state.nextMissing(in: range)
        }
    }

    private func checkWrite(
        of range: Range<Int64>,
        _ state: GenerationState
    ) throws(CacheError) {
        if let failure = state.failure { throw failure }
        if let length = state.description.length, range.upperBound > length {
            throw CacheError(
                .lengthConflict,
                "Could not keep the bytes \(range.lowerBound)..<\(range.upperBound) of a "
                    + "resource of \(length) bytes; fetch the resource again.",
                path: self.file.path
            )
        }
    }
}
