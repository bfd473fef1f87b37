// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// Compares all cached bytes with their checksums, once and slowly.
    ///
    /// This finds damage before a reader needs the bytes. Skips bytes that this process has written or compared
    /// already. Does not count as a use. Damaged bytes become holes. Reads pieces of 1 MiB, and sleeps between
    /// them.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: how fast to read, more than 0.
    ///   - clock: measures the pauses.
    /// - Returns: how many compared bytes were sound, and how many were damaged.
    /// - Throws: `CancellationError`, at the next piece, when the task is cancelled.
    @concurrent
    package func scrub(
        bytesPerSecond: Int64,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> CacheVerification {
        precondition(bytesPerSecond > 0, "a scrub that reads nothing would never end")
        self.waitForIndex()
        var result = CacheVerification(soundByteCount: 0, damagedByteCount: 0)
        for entry in self.state.withLock({ $0.index.entries }) {
            // A resource that cannot be opened now cannot be compared.
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
    /// The first held byte from an offset on that was not compared with its checksum.
    func firstUnchecked(from offset: Int64) -> Int64? {
        self.state.withLock { $0.firstUnchecked(in: offset..<Int64.max) }
    }
}
