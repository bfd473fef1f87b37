// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher
import WeirSource
import WeirTestKit

/// Measures how fast pieces of 64 KiB are decrypted, from an origin and from disk.
struct SpeedTrial {
    let seconds: Double
    /// The name of the scheme to measure; `nil` for all schemes.
    let scheme: String?

    func run() async throws {
        // Small enough for the processor's cache: in a real run the bytes are there, too, since
        // they have just been received or read.
        let length = 1 << 20
        for scheme in try TrialScheme.all() where self.scheme ?? scheme.name == scheme.name {
            let stored = try scheme.sealed(PatternBytes.bytes(in: 0..<Int64(length)))
            let coming = scheme.source(
                MemorySource(bytes: stored, validator: .revision("1"), chunkSize: 65_536)
            )
            try await self.measure(scheme.name, "coming") {
                var count = 0
                for try await chunk in try await coming.read(.whole) { count += chunk.count }
                return count
            }
            let lying = scheme.source(ResidentSource(ScriptedResource(bytes: stored)))
            _ = try await lying.describe()
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
            defer { room.deallocate() }
            try await self.measure(scheme.name, "on disk") {
                for start in stride(from: Int64(0), to: Int64(length), by: 65_536) {
                    guard let slice = lying.residentSlice(.span(start..<(start + 65_536))) else {
                        fatalError("the whole file lies on disk")
                    }
                    var done = 0
                    while done < 65_536 {
                        done += try slice.file.read(
                            into: UnsafeMutableRawBufferPointer(rebasing: room[done...]),
                            at: slice.fileOffset + Int64(done)
                        )
                    }
                }
                return length
            }
        }
    }

    private func measure(
        _ scheme: String,
        _ place: String,
        _ work: () async throws -> Int
    ) async throws {
        _ = try await work()
        let clock = ContinuousClock()
        let start = clock.now
        var bytes = 0
        while clock.now - start < .seconds(self.seconds) { bytes += try await work() }
        let elapsed = (clock.now - start) / .seconds(1)
        Program.print([
            "scheme": scheme, "place": place, "megabytesPerSecond": Double(bytes) / elapsed / 1e6,
        ])
    }
}
