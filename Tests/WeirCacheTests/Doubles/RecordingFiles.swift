// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache

/// The system's files, with every operation that changes something written down, and any operation
/// failed, interrupted or cut short as a test wishes.
final class RecordingFiles: FileOperations {
    /// An operation that changes something, with the file's name and not its folder.
    enum Event: Hashable, Sendable {
        case opened(String, FilePurpose)
        case wrote(String, Range<Int64>)
        case synchronized(String)
        case truncated(String, Int64)
        case renamed(String, String)
        case removed(String)
        case madeDirectory(String)
        case synchronizedDirectory(String)
    }

    /// What is about to be done.
    struct Call: Hashable, Sendable {
        var operation: FileFailure.Operation
        /// The file's name without its folder.
        var name: String
    }

    /// What a test makes of an operation.
    enum Answer: Hashable, Sendable {
        case goesOn
        case fails(CInt)
        /// A read or write of at most this many bytes.
        case short(Int)
    }

    private struct State {
        var events: [Event] = []
        var names: [CInt: String] = [:]
        var openCount = 0
        var freeByteCount: Int64?
        var answer: @Sendable (Call) -> Answer = { _ in .goesOn }
    }

    private let system = PosixFiles()
    private let state = Mutex(State())

    /// What was done so far.
    var events: [Event] { self.state.withLock { $0.events } }

    /// How many descriptors are open.
    var openCount: Int { self.state.withLock { $0.openCount } }

    /// Asks `answer` before each operation from now on.
    func answer(_ answer: @escaping @Sendable (Call) -> Answer) {
        self.state.withLock { $0.answer = answer }
    }

    /// Fails every operation of a kind on files whose names end in a way, until told otherwise.
    func fail(_ operation: FileFailure.Operation, _ suffix: String, with errno: CInt) {
        self.answer { call in
            call.operation == operation && call.name.hasSuffix(suffix) ? .fails(errno) : .goesOn
        }
    }

    /// Lets everything go on again.
    func heal() {
        self.answer { _ in .goesOn }
    }

    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        _ = try self.ask(.open, path)
        let descriptor = try self.system.open(path, for: purpose)
        self.state.withLock { state in
            state.names[descriptor] = Self.name(path)
            state.openCount += 1
            state.events.append(.opened(Self.name(path), purpose))
        }
        return descriptor
    }

    func close(_ descriptor: CInt) {
        self.state.withLock { $0.openCount -= 1 }
        self.system.close(descriptor)
    }

    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        let limit = try self.ask(.read, self.name(of: descriptor))
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit ?? buffer.count))
        return try self.system.read(descriptor, into: part, at: offset)
    }

    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        let name = self.name(of: descriptor)
        let limit = try self.ask(.write, name)
        let part = UnsafeRawBufferPointer(rebasing: buffer.prefix(limit ?? buffer.count))
        let count = try self.system.write(descriptor, from: part, at: offset)
        self.note(.wrote(name, offset..<(offset + Int64(count))))
        return count
    }

    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        let limit = try self.ask(.copy, self.name(of: target))
        return try self.system.copy(
            descriptor,
            at: offset,
            to: target,
            at: targetOffset,
            count: min(count, limit ?? count)
        )
    }

    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        _ = try self.ask(.look, path)
        if let pretended = self.state.withLock({ $0.freeByteCount }) { return pretended }
        return try self.system.freeByteCount(ofDirectory: path)
    }

    /// Tells how many bytes the disk has left from now on; `nil` for the truth.
    func pretendFree(_ count: Int64?) {
        self.state.withLock { $0.freeByteCount = count }
    }

    func synchronize(_ descriptor: CInt) throws(FileFailure) {
        let name = self.name(of: descriptor)
        _ = try self.ask(.synchronize, name)
        try self.system.synchronize(descriptor)
        self.note(.synchronized(name))
    }

    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        let name = self.name(of: descriptor)
        _ = try self.ask(.truncate, name)
        try self.system.truncate(descriptor, to: size)
        self.note(.truncated(name, size))
    }

    func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        _ = try self.ask(.look, self.name(of: descriptor))
        return try self.system.size(of: descriptor)
    }

    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        _ = try self.ask(.lock, self.name(of: descriptor))
        return try self.system.lock(descriptor)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        _ = try self.ask(.rename, path)
        try self.system.rename(path, to: newPath)
        self.note(.renamed(Self.name(path), Self.name(newPath)))
    }

    func remove(_ path: String) throws(FileFailure) {
        _ = try self.ask(.remove, path)
        try self.system.remove(path)
        self.note(.removed(Self.name(path)))
    }

    func status(of path: String) throws(FileFailure) -> FileStatus? {
        _ = try self.ask(.look, path)
        return try self.system.status(of: path)
    }

    func createDirectory(_ path: String) throws(FileFailure) {
        _ = try self.ask(.createDirectory, path)
        try self.system.createDirectory(path)
        self.note(.madeDirectory(Self.name(path)))
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        _ = try self.ask(.synchronize, path)
        try self.system.synchronizeDirectory(path)
        self.note(.synchronizedDirectory(Self.name(path)))
    }

    func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        _ = try self.ask(.list, path)
        return try self.system.contents(ofDirectory: path)
    }

    /// - Returns: the most bytes that may be read or written, `nil` for any number.
    private func ask(_ operation: FileFailure.Operation, _ path: String) throws(FileFailure) -> Int?
    {
        let answer = self.state.withLock { $0.answer }
        switch answer(Call(operation: operation, name: Self.name(path))) {
        case .goesOn: return nil
        case .short(let count): return count
        case .fails(let errno):
            throw FileFailure(errno: errno, operation: operation, path: path)
        }
    }

    private func note(_ event: Event) {
        self.state.withLock { $0.events.append(event) }
    }

    private func name(of descriptor: CInt) -> String {
        self.state.withLock { $0.names[descriptor] ?? "" }
    }

    private static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
