// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirCache

/// The real file system, which lets a test look at the disk before each change, and may run full.
final class WitnessedFiles: FileOperations {
    /// Bytes of data files that were written and not made durable, by path: what a power cut may take.
    typealias Unsynchronized = [String: RangeSet<Int64>]

    private struct State {
        var writes = 0
        var fullAfter = Int.max
        var paths: [CInt: String] = [:]
        var unsynchronized: Unsynchronized = [:]
    }

    private let base = PosixFiles()
    private let willChange: (@Sendable (Unsynchronized) -> Void)?
    /// Held during every operation: what is looked at stands still.
    private let state: Mutex<State>

    /// Works as the real one, but for what is given.
    ///
    /// - Parameters:
    ///   - fullAfter: after how many writes the disk has no more room.
    ///   - willChange: is called before every operation that changes something, while nothing else happens.
    init(
        fullAfter: Int = .max,
        willChange: (@Sendable (Unsynchronized) -> Void)? = nil
    ) {
        self.willChange = willChange
        self.state = Mutex(State(fullAfter: fullAfter))
    }

    /// Whether there was something to write and no room for it.
    var wasFull: Bool { self.state.withLock { $0.writes > $0.fullAfter } }

    /// What a power cut may take now.
    var unsynchronized: Unsynchronized { self.state.withLock { $0.unsynchronized } }

    /// Performs an operation by itself.
    private func perform<Value: Sendable>(
        changes: Bool,
        _ body: (inout State) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        let result = self.state.withLock { state -> Result<Value, FileFailure> in
            if changes { self.willChange?(state.unsynchronized) }
            do throws(FileFailure) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Counts something that takes room.
    private static func take(_ state: inout State) throws(FileFailure) {
        state.writes += 1
        if state.writes > state.fullAfter { throw FileFailure(errno: ENOSPC, operation: .write) }
    }

    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        try self.perform(changes: purpose != .reading) { state throws(FileFailure) in
            let descriptor = try self.base.open(path, for: purpose)
            state.paths[descriptor] = path
            return descriptor
        }
    }

    func close(_ descriptor: CInt) {
        self.state.withLock { state in
            state.paths[descriptor] = nil
            self.base.close(descriptor)
        }
    }

    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.base.read(descriptor, into: buffer, at: offset)
    }

    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.perform(changes: true) { state throws(FileFailure) in
            try Self.take(&state)
            let count = try self.base.write(descriptor, from: buffer, at: offset)
            if let path = state.paths[descriptor], path.hasSuffix(".data") {
                state.unsynchronized[path, default: RangeSet()]
                    .insert(contentsOf: offset..<offset + Int64(count))
            }
            return count
        }
    }

    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        try self.perform(changes: true) { state throws(FileFailure) in
            try Self.take(&state)
            return try self.base.copy(
                descriptor,
                at: offset,
                to: target,
                at: targetOffset,
                count: count
            )
        }
    }

    func synchronize(_ descriptor: CInt) throws(FileFailure) {
        try self.perform(changes: true) { state throws(FileFailure) in
            try self.base.synchronize(descriptor)
            if let path = state.paths[descriptor] { state.unsynchronized[path] = nil }
        }
    }

    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        try self.perform(changes: true) { _ throws(FileFailure) in
            try self.base.truncate(descriptor, to: size)
        }
    }

    func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        try self.base.size(of: descriptor)
    }

    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        try self.base.lock(descriptor)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try self.perform(changes: true) { _ throws(FileFailure) in
            try self.base.rename(path, to: newPath)
        }
    }

    func remove(_ path: String) throws(FileFailure) {
        try self.perform(changes: true) { _ throws(FileFailure) in try self.base.remove(path) }
    }

    func status(of path: String) throws(FileFailure) -> FileStatus? {
        try self.base.status(of: path)
    }

    func createDirectory(_ path: String) throws(FileFailure) {
        try self.perform(changes: true) { _ throws(FileFailure) in
            try self.base.createDirectory(path)
        }
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try self.perform(changes: true) { _ throws(FileFailure) in
            try self.base.synchronizeDirectory(path)
        }
    }

    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        try self.base.freeByteCount(ofDirectory: path)
    }

    func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        try self.base.contents(ofDirectory: path)
    }
}
