// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// Compares everything in the cache with its checksums, once, slowly, so that what rots is noticed before it is
    /// wanted.
    ///
    /// What this process has written or compared already is passed over, and nothing counts as used. What is damaged
    /// is a hole from then on. Reads pieces of 1 MiB, and sleeps between them.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: how fast to read, more than 0.
    ///   - clock: measures the pauses.
    /// - Returns: how many bytes were compared and found sound, and how many were not.
    /// - Throws: `CancellationError`, at the next piece, when the task is cancelled.
    @concurrent
    package func scrub(
        bytesPerSecond: Int64,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> CacheVerification {
        precondition(bytesPerSecond > 0, "a scrub that reads nothing would never end")
        var result = CacheVerification(soundByteCount: 0, damagedByteCount: 0)
        for entry in self.state.withLock({ $0.index.entries }) {
            // What cannot be opened now has nothing to be compared.
            guard let generation = try? self.open(entry.id, isUse: false) else { continue }
            defer { generation.release(isUse: false) }
            var offset: Int64 = 0
            while let next = generation.firstUnchecked(from: offset),
                let file = try? generation.openedFile()
            {
                try Task.checkCancellation()
                let found = generation.check(next..<next + Generation.checkedAtOnce, in: file)
                result.soundByteCount += found.compared - found.lost
                result.damagedByteCount += found.lost
                offset = next + Generation.checkedAtOnce
                let pause = Duration.seconds(1) * Double(found.compared) / Double(bytesPerSecond)
                try await clock.sleep(for: pause)
            }
        }
        return result
    }
}

extension Generation {
    /// The first byte from an offset on that is held and was not compared with its checksum.
    func firstUnchecked(from offset: Int64) -> Int64? {
        self.state.withLock { $0.firstUnchecked(in: offset..<Int64.max) }
    }
}
