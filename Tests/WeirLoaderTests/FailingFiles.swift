// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirCache

/// The real file system, of which one operation fails, or all from one on.
final class FailingFiles: FileOperations {
    /// How an operation fails.
    enum Trouble: Hashable, CaseIterable, CustomStringConvertible {
        case noSpace
        case broken
        case tooManyFiles
        case interrupted
        case shortWrite

        var description: String {
            switch self {
            case .noSpace: "ENOSPC"
            case .broken: "EIO"
            case .tooManyFiles: "EMFILE"
            case .interrupted: "EINTR"
            case .shortWrite: "a short write"
            }
        }

        var errno: CInt {
            switch self {
            case .noSpace: ENOSPC
            case .broken: EIO
            case .tooManyFiles: EMFILE
            case .interrupted, .shortWrite: EINTR
            }
        }
    }

    private struct State {
        var count = 0
        var failing: ClosedRange<Int>?
        var trouble = Trouble.broken
    }

    private let base = PosixFiles()
    private let state = Mutex(State())

    /// How many operations there were.
    var count: Int { self.state.withLock { $0.count } }

    /// Lets operations fail, by their numbers from 1.
    func fail(_ numbers: ClosedRange<Int>, with trouble: Trouble) {
        self.state.withLock { ($0.failing, $0.trouble) = (numbers, trouble) }
    }

    /// Lets everything succeed from now on.
    func heal() {
        self.state.withLock { $0.failing = nil }
    }

    /// Counts an operation.
    ///
    /// - Returns: the trouble that it is in.
    private func next() -> Trouble? {
        self.state.withLock { state in
            state.count += 1
            return state.failing?.contains(state.count) == true ? state.trouble : nil
        }
    }

    private func check(
        _ operation: FileFailure.Operation,
        _ path: String? = nil
    ) throws(FileFailure) {
        guard let trouble = self.next(), trouble != .shortWrite else { return }
        throw FileFailure(errno: trouble.errno, operation: operation, path: path)
    }

    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        try self.check(.open, path)
        return try self.base.open(path, for: purpose)
    }

    func close(_ descriptor: CInt) { self.base.close(descriptor) }

    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.check(.read)
        return try self.base.read(descriptor, into: buffer, at: offset)
    }

    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        switch self.next() {
        case nil: return try self.base.write(descriptor, from: buffer, at: offset)
        case .shortWrite:
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count / 2)])
            return try self.base.write(descriptor, from: part, at: offset)
        case .some(let trouble): throw FileFailure(errno: trouble.errno, operation: .write)
        }
    }

    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        try self.check(.copy)
        return try self.base.copy(
            descriptor,
            at: offset,
            to: target,
            at: targetOffset,
            count: count
        )
    }

    func synchronize(_ descriptor: CInt) throws(FileFailure) {
        try self.check(.synchronize)
        try self.base.synchronize(descriptor)
    }

    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        try self.check(.truncate)
        try self.base.truncate(descriptor, to: size)
    }

    func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        try self.check(.look)
        return try self.base.size(of: descriptor)
    }

    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        try self.check(.lock)
        return try self.base.lock(descriptor)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try self.check(.rename, path)
        try self.base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileFailure) {
        try self.check(.remove, path)
        try self.base.remove(path)
    }

    func status(of path: String) throws(FileFailure) -> FileStatus? {
        try self.check(.look, path)
        return try self.base.status(of: path)
    }

    func createDirectory(_ path: String) throws(FileFailure) {
        try self.check(.createDirectory, path)
        try self.base.createDirectory(path)
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try self.check(.synchronize, path)
        try self.base.synchronizeDirectory(path)
    }

    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        try self.check(.look, path)
        return try self.base.freeByteCount(ofDirectory: path)
    }

    func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        try self.check(.list, path)
        return try self.base.contents(ofDirectory: path)
    }
}
