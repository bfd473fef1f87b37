// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache

/// The system's files, with everything written down that a power cut could undo.
final class VolatileFiles: FileOperations {
    /// What was done, file by file: a file is named by a number, since names change.
    enum Event: Sendable {
        case made(path: String, file: Int)
        case wrote(file: Int, at: Int64, [UInt8])
        case truncated(file: Int, to: Int64)
        case synchronized(file: Int)
        case renamed(from: String, to: String)
        case removed(path: String)
        case madeDirectory(path: String)
        case synchronizedDirectory(path: String)
        /// From here on a test may rely on something, by its number.
        case promised(Int)
    }

    private struct State {
        var events: [Event] = []
        var names: [String: Int] = [:]
        var open: [CInt: Int] = [:]
        var fileCount = 0
    }

    private let system = PosixFiles()
    private let state = Mutex(State())

    var events: [Event] { self.state.withLock { $0.events } }

    /// Writes down that from here on something must hold.
    func promise(_ number: Int) {
        self.note(.promised(number))
    }

    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        let descriptor = try self.system.open(path, for: purpose)
        self.state.withLock { state in
            if let file = state.names[path] {
                state.open[descriptor] = file
                if purpose == .replacing { state.events.append(.truncated(file: file, to: 0)) }
            } else {
                state.fileCount += 1
                state.names[path] = state.fileCount
                state.open[descriptor] = state.fileCount
                state.events.append(.made(path: path, file: state.fileCount))
            }
        }
        return descriptor
    }

    func close(_ descriptor: CInt) {
        self.state.withLock { $0.open[descriptor] = nil }
        self.system.close(descriptor)
    }

    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.system.read(descriptor, into: buffer, at: offset)
    }

    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        let count = try self.system.write(descriptor, from: buffer, at: offset)
        let bytes = Array(buffer.prefix(count))
        self.note(descriptor) { .wrote(file: $0, at: offset, bytes) }
        return count
    }

    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        try self.system.copy(descriptor, at: offset, to: target, at: targetOffset, count: count)
    }

    func synchronize(_ descriptor: CInt) throws(FileFailure) {
        // Nothing here is to survive: only the order counts.
        self.note(descriptor) { .synchronized(file: $0) }
    }

    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        try self.system.truncate(descriptor, to: size)
        self.note(descriptor) { .truncated(file: $0, to: size) }
    }

    func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        try self.system.size(of: descriptor)
    }

    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        try self.system.lock(descriptor)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try self.system.rename(path, to: newPath)
        self.state.withLock { state in
            state.names[newPath] = state.names.removeValue(forKey: path)
            state.events.append(.renamed(from: path, to: newPath))
        }
    }

    func remove(_ path: String) throws(FileFailure) {
        try self.system.remove(path)
        self.state.withLock { state in
            state.names[path] = nil
            state.events.append(.removed(path: path))
        }
    }

    func status(of path: String) throws(FileFailure) -> FileStatus? {
        try self.system.status(of: path)
    }

    func createDirectory(_ path: String) throws(FileFailure) {
        try self.system.createDirectory(path)
        self.note(.madeDirectory(path: path))
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        self.note(.synchronizedDirectory(path: path))
    }

    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        try self.system.freeByteCount(ofDirectory: path)
    }

    func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        try self.system.contents(ofDirectory: path)
    }

    private func note(_ event: Event) {
        self.state.withLock { $0.events.append(event) }
    }

    private func note(_ descriptor: CInt, _ event: (Int) -> Event) {
        self.state.withLock { state in
            guard let file = state.open[descriptor] else { return }
            state.events.append(event(file))
        }
    }
}
