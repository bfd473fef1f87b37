// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import WeirLive

/// A disk in memory of a limited size, whose reads a test can make fail from then on.
final class ScriptedDisk: RingDisk {
    private struct State {
        var bytes: [UInt8] = []
        var writes = 0
        var reads = 0
        var mostBytes = Int.max
        var failsReads = false
    }

    private let state = Mutex(State())

    /// A disk of a size, or without a limit.
    init(byteCount: Int = .max) {
        self.state.withLock { $0.mostBytes = byteCount }
    }

    var byteCount: Int { self.state.withLock { $0.bytes.count } }
    var writeCount: Int { self.state.withLock { $0.writes } }
    var readCount: Int { self.state.withLock { $0.reads } }

    /// Makes all reads fail from now on.
    func failReads() { self.state.withLock { $0.failsReads = true } }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(RingDiskError) {
        let fits = self.state.withLock { state -> Bool in
            state.writes += 1
            let end = Int(position) + bytes.count
            guard end <= state.mostBytes else { return false }
            if state.bytes.count < end {
                state.bytes += [UInt8](repeating: 0, count: end - state.bytes.count)
            }
            state.bytes.replaceSubrange(Int(position)..<end, with: bytes)
            return true
        }
        guard fits else { throw RingDiskError(message: "full") }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(RingDiskError)
    {
        let bytes = self.state.withLock { state -> ArraySlice<UInt8>? in
            state.reads += 1
            let end = Int(position) + buffer.count
            return state.failsReads || end > state.bytes.count
                ? nil : state.bytes[Int(position)..<end]
        }
        guard let bytes else { throw RingDiskError(message: "unreadable") }
        buffer.copyBytes(from: bytes)
    }
}
