// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirCache

/// The system's files, under a test's control.
///
/// A test sees every operation before it is performed, can fail, shorten, delay or skip it, and
/// reads in the log which operations succeeded.
package final class ScriptedFiles: FileOperations {
    /// An operation: as requested when a test answers it, as performed in the log.
    package struct Call: Hashable, Sendable {
        package let operation: FileFailure.Operation
        /// The path that the operation names, or that its descriptor was opened with.
        ///
        /// For a copy, the target's path.
        package let path: String
        /// The file that an operation opened or works on; `nil` for an operation on a path.
        package fileprivate(set) var descriptor: CInt?
        /// The number of the operation, from 1; 0 for a close.
        package fileprivate(set) var number = 0
        /// The purpose that a file is opened for.
        package fileprivate(set) var purpose: FilePurpose?
        /// The new path of a renamed file.
        package fileprivate(set) var newPath = ""
        /// Where a read, a write or a copy begins; the size that a truncation leaves.
        package fileprivate(set) var offset: Int64 = 0
        /// How many bytes are read, written or copied.
        package fileprivate(set) var count = 0
        /// Whether a synchronization only orders the bytes before later ones.
        package fileprivate(set) var isOrder = false
        /// The bytes that were written, in the log of files that keep them.
        package fileprivate(set) var bytes: [UInt8] = []

        fileprivate init(
            _ operation: FileFailure.Operation,
            _ path: String,
            _ descriptor: CInt? = nil
        ) {
            self.operation = operation
            self.path = path
            self.descriptor = descriptor
        }

        /// The last component of the path.
        package var name: String { Self.name(self.path) }
        /// The last component of the new path.
        package var newName: String { Self.name(self.newPath) }
        /// The bytes of the file that were read, written or copied.
        package var range: Range<Int64> { self.offset..<(self.offset + Int64(self.count)) }
        /// Whether the operation may change the disk.
        package var isChange: Bool {
            switch self.operation {
            case .open: self.purpose != .reading
            case .read, .look, .lock, .list: false
            case .write, .copy, .synchronize, .truncate, .rename, .remove, .createDirectory: true
            }
        }

        private static func name(_ path: String) -> String {
            path.split(separator: "/").last.map(String.init) ?? path
        }
    }

    /// A test's answer to an operation; to delay the operation, a test answers later.
    package enum Answer: Hashable, Sendable {
        case goesOn
        case fails(CInt)
        /// A read, a write or a copy of at most this many bytes; other operations are performed
        /// whole.
        case short(Int)
        /// A synchronization that succeeds without the system's call; other operations are
        /// performed.
        case skips
    }

    private struct State {
        var log: [Call] = []
        var count = 0
        var paths: [CInt: String] = [:]
        var freeByteCount: Int64?
        var attributes: [(path: String, attributes: DirectoryAttributes, after: Int)] = []
        var answer: @Sendable (Call) -> Answer = { _ in .goesOn }
    }

    private let system = PosixFiles()
    private let state = Mutex(State())
    private let isSerial: Bool
    /// Held by each operation from its answer to its end, if the files are serial.
    private let turn = Mutex(())
    private let keepsBytes: Bool

    /// Works as the system's files until a test answers operations.
    ///
    /// - Parameters:
    ///   - isSerial: whether each operation ends before the next is answered, so that a test sees
    ///     the disk at rest.
    ///   - keepsBytes: whether the log holds the bytes that were written.
    package init(isSerial: Bool = false, keepsBytes: Bool = false) {
        self.isSerial = isSerial
        self.keepsBytes = keepsBytes
    }

    /// The operations that succeeded, in their order, without closes.
    package var log: [Call] { self.state.withLock { $0.log } }

    /// How many operations were requested, whether they succeeded or not.
    package var count: Int { self.state.withLock { $0.count } }

    /// How many descriptors are open.
    package var openCount: Int { self.state.withLock { $0.paths.count } }

    /// Asks `answer` before each operation from now on.
    package func answer(_ answer: @escaping @Sendable (Call) -> Answer) {
        self.state.withLock { $0.answer = answer }
    }

    /// Fails every operation of a kind on files whose names have a suffix, until the next answer is
    /// set.
    package func fail(_ operation: FileFailure.Operation, _ suffix: String, with errno: CInt) {
        self.answer { call in
            call.operation == operation && call.name.hasSuffix(suffix) ? .fails(errno) : .goesOn
        }
    }

    /// Performs all operations normally again.
    package func heal() {
        self.answer { _ in .goesOn }
    }

    /// Reports this many free bytes on the disk from now on; `nil` for the system's number.
    package func pretendFree(_ count: Int64?) {
        self.state.withLock { $0.freeByteCount = count }
    }

    /// The attributes that directories received, and the number of the last operation before each.
    package var attributes: [(path: String, attributes: DirectoryAttributes, after: Int)] {
        self.state.withLock { $0.attributes }
    }

    // MARK: One operation

    /// Counts an operation, gets the test's answer, performs the operation and logs it.
    ///
    /// - Parameters:
    ///   - call: the operation.
    ///   - skipped: the result of the operation if it is skipped; `nil` if it cannot be.
    ///   - body: performs at most the requested operation, and corrects the call to the part that
    ///     it performed.
    /// - Returns: the result of `body`, or `skipped`.
    /// - Throws: the failure of `body`, or the one from the test's answer.
    private func perform<Value: Sendable>(
        _ call: Call,
        skipped: Value? = nil,
        _ body: (inout Call) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        guard self.isSerial else { return try self.performNow(call, skipped, body) }
        return try self.turn.withLock { _ throws(FileFailure) in
            try self.performNow(call, skipped, body)
        }
    }

    private func performNow<Value: Sendable>(
        _ call: Call,
        _ skipped: Value?,
        _ body: (inout Call) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        var call = call
        let answer = self.state.withLock { state in
            state.count += 1
            call.number = state.count
            return state.answer
        }
        var result: Value?
        switch answer(call) {
        case .goesOn: break
        case .short(let limit): call.count = min(call.count, limit)
        case .skips: result = skipped
        case .fails(let errno):
            let path = call.descriptor == nil ? call.path : nil
            throw FileFailure(errno: errno, operation: call.operation, path: path)
        }
        let value = if let result { result } else { try body(&call) }
        self.state.withLock { state in
            if call.operation == .open, let descriptor = call.descriptor {
                state.paths[descriptor] = call.path
            }
            state.log.append(call)
        }
        return value
    }

    /// Performs an operation on a path.
    private func perform<Value: Sendable>(
        _ operation: FileFailure.Operation,
        _ path: String,
        _ body: () throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try self.perform(Call(operation, path)) { _ throws(FileFailure) in try body() }
    }

    /// An operation on an open file.
    private func call(_ operation: FileFailure.Operation, _ descriptor: CInt) -> Call {
        Call(operation, self.state.withLock { $0.paths[descriptor] ?? "" }, descriptor)
    }

    /// Performs a read, a write or a copy: `body` gets the most bytes that it may move and returns
    /// how many it moved.
    private func transfer(
        _ operation: FileFailure.Operation,
        _ descriptor: CInt,
        at offset: Int64,
        count: Int,
        from buffer: UnsafeRawBufferPointer? = nil,
        _ body: (Int) throws(FileFailure) -> Int
    ) throws(FileFailure) -> Int {
        var call = self.call(operation, descriptor)
        (call.offset, call.count) = (offset, count)
        return try self.perform(call) { call throws(FileFailure) in
            call.count = try body(call.count)
            if self.keepsBytes, let buffer { call.bytes = Array(buffer.prefix(call.count)) }
            return call.count
        }
    }

    // MARK: FileOperations

    package func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        var call = Call(.open, path)
        call.purpose = purpose
        return try self.perform(call) { call throws(FileFailure) in
            let descriptor = try self.system.open(path, for: purpose)
            call.descriptor = descriptor
            return descriptor
        }
    }

    package func close(_ descriptor: CInt) {
        let closing = {
            self.state.withLock { $0.paths[descriptor] = nil }
            self.system.close(descriptor)
        }
        if self.isSerial { self.turn.withLock { _ in closing() } } else { closing() }
    }

    package func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.transfer(.read, descriptor, at: offset, count: buffer.count) {
            limit throws(FileFailure) in
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
            return try self.system.read(descriptor, into: part, at: offset)
        }
    }

    package func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        try self.transfer(.write, descriptor, at: offset, count: buffer.count, from: buffer) {
            limit throws(FileFailure) in
            let part = UnsafeRawBufferPointer(rebasing: buffer.prefix(limit))
            return try self.system.write(descriptor, from: part, at: offset)
        }
    }

    package func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        try self.transfer(.copy, target, at: targetOffset, count: count) {
            limit throws(FileFailure) in
            try self.system.copy(descriptor, at: offset, to: target, at: targetOffset, count: limit)
        }
    }

    package func synchronize(_ descriptor: CInt) throws(FileFailure) {
        let call = self.call(.synchronize, descriptor)
        try self.perform(call, skipped: ()) { _ throws(FileFailure) in
            try self.system.synchronize(descriptor)
        }
    }

    package func order(_ descriptor: CInt) throws(FileFailure) {
        var call = self.call(.synchronize, descriptor)
        call.isOrder = true
        try self.perform(call, skipped: ()) { _ throws(FileFailure) in
            try self.system.order(descriptor)
        }
    }

    /// Records the attributes outside the log, since setting them is not an operation of POSIX.
    package func apply(
        _ attributes: DirectoryAttributes,
        toDirectory path: String
    ) throws(FileFailure) {
        self.state.withLock { $0.attributes.append((path, attributes, $0.count)) }
        try self.system.apply(attributes, toDirectory: path)
    }

    package func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try self.perform(Call(.synchronize, path), skipped: ()) { _ throws(FileFailure) in
            try self.system.synchronizeDirectory(path)
        }
    }

    package func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        var call = self.call(.truncate, descriptor)
        call.offset = size
        try self.perform(call) { _ throws(FileFailure) in
            try self.system.truncate(descriptor, to: size)
        }
    }

    package func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        try self.perform(self.call(.look, descriptor)) { _ throws(FileFailure) in
            try self.system.size(of: descriptor)
        }
    }

    package func status(
        of descriptor: CInt
    ) throws(FileFailure) -> (file: FileStatus, identity: FileIdentity) {
        try self.perform(self.call(.look, descriptor)) { _ throws(FileFailure) in
            try self.system.status(of: descriptor)
        }
    }

    package func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        try self.perform(self.call(.lock, descriptor)) { _ throws(FileFailure) in
            try self.system.lock(descriptor)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileFailure) {
        var call = Call(.rename, path)
        call.newPath = newPath
        try self.perform(call) { _ throws(FileFailure) in
            try self.system.rename(path, to: newPath)
        }
    }

    package func remove(_ path: String) throws(FileFailure) {
        try self.perform(.remove, path) { () throws(FileFailure) in try self.system.remove(path) }
    }

    package func status(of path: String) throws(FileFailure) -> FileStatus? {
        try self.perform(.look, path) { () throws(FileFailure) in
            try self.system.status(of: path)
        }
    }

    package func createDirectory(_ path: String) throws(FileFailure) {
        try self.perform(.createDirectory, path) { () throws(FileFailure) in
            try self.system.createDirectory(path)
        }
    }

    package func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        try self.perform(.look, path) { () throws(FileFailure) in
            if let pretended = self.state.withLock({ $0.freeByteCount }) { return pretended }
            return try self.system.freeByteCount(ofDirectory: path)
        }
    }

    package func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        try self.perform(.list, path) { () throws(FileFailure) in
            try self.system.contents(ofDirectory: path)
        }
    }
}
