// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirLive
import WeirSource

/// Standard input as a resource.
///
/// An unnamed file keeps the bytes, so that a reader can go back. The source reads at most 64 KiB
/// more from the pipe than readers request.
final class StandardInputSource: ByteSource {
    /// The name of standard input on the command line.
    static let name = "-"

    private static let pieceSize = 1 << 16

    private struct State {
        /// How many bytes have arrived.
        var count: Int64 = 0
        /// The number of bytes that a reader waits for.
        var wanted: Int64 = 0
        var isAtEnd = false
        var failure: SourceError?
    }

    private let input: CInt
    private let file: UnlinkedFile
    private let state = Mutex(State())
    /// Raised when more bytes arrive, or at the end.
    private let came = Signal()
    /// Signalled, from any thread, when a reader needs more bytes.
    private let isWanted = DispatchSemaphore(value: 0)

    /// Takes over an open descriptor; reads nothing until a reader requests bytes.
    ///
    /// - Throws: ``CommandError`` if the input is unusable, or its bytes cannot be stored.
    init(_ input: CInt = STDIN_FILENO) throws(CommandError) {
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw .usage(
                "Standard input is closed or a folder; pipe something in, as in: curl URL | weir play -"
            )
        }
        do throws(RingDiskError) {
            self.file = try UnlinkedFile(in: nil)
        } catch {
            throw .failed(
                "The bytes of standard input cannot be stored; set TMPDIR to a writable folder."
            )
        }
        self.input = input
        // This thread waits for the pipe; it ends with the pipe, this source or the program.
        Thread.detachNewThread { [weak self, isWanted] in
            while true {
                isWanted.wait()
                guard let self, self.take() else { return }
            }
        }
    }

    deinit { self.isWanted.signal() }

    func describe() async throws -> ResourceDescription { self.description }

    private var description: ResourceDescription {
        let length = self.state.withLock { $0.isAtEnd ? $0.count : nil }
        return ResourceDescription(length: length, acceptsRanges: true)
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        // Only the end of the input shows which bytes are the last.
        if case .suffix = demand.range { try await self.wait(forMoreThan: .max - 1) }
        let resource = self.description
        guard demand.version?.agrees(with: resource) != false else {
            throw SourceError(.changed, "Standard input has changed; start again.")
        }
        var range = (demand.range.knownLowerBound ?? 0)..<(demand.range.knownUpperBound ?? .max)
        if let length = resource.length {
            guard let known = demand.range.resolved(inLength: length) else {
                throw SourceError.pastTheEnd(demand.range, length: length)
            }
            range = known
        }
        guard !range.isEmpty else { return .empty(resource, at: range.lowerBound) }
        return ByteReading(
            resource: resource,
            lowerBound: range.lowerBound,
            upperBound: resource.length == nil ? nil : range.upperBound,
            producer: Producer(self, range)
        )
    }

    /// Reads pieces from the pipe while a reader needs more bytes.
    ///
    /// - Returns: whether more bytes may arrive.
    private func take() -> Bool {
        while self.state.withLock({ $0.wanted > $0.count && !$0.isAtEnd }) {
            var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
            let count = Foundation.read(self.input, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            let position = self.state.withLock { $0.count }
            let isStored = count >= 0 && self.keep(bytes.prefix(count), at: position)
            self.state.withLock { state in
                state.count += Int64(max(0, count))
                state.isAtEnd = count <= 0 || !isStored
                if !isStored { state.failure = Self.failure }
            }
            self.came.raise()
        }
        return self.state.withLock { !$0.isAtEnd }
    }

    /// - Returns: whether the write succeeded.
    private func keep(_ bytes: ArraySlice<UInt8>, at position: Int64) -> Bool {
        bytes.withUnsafeBytes { (try? self.file.write($0, at: position)) != nil }
    }

    private static var failure: SourceError {
        SourceError(
            .cacheFailed,
            "Standard input could not be read or stored in a temporary file; check the disk."
        )
    }

    /// Waits until more than `count` bytes have arrived, or until the end.
    ///
    /// - Returns: how many bytes have arrived.
    @discardableResult
    private func wait(forMoreThan count: Int64) async throws -> Int64 {
        while true {
            let seen = self.came.count
            let (now, isAtEnd, failure) = self.state.withLock { state in
                state.wanted = max(state.wanted, count.addingClamped(1))
                return (state.count, state.isAtEnd, state.failure)
            }
            if now > count { return now }
            if let failure { throw failure }
            if isAtEnd { return now }
            self.isWanted.signal()
            try await self.came.wait(after: seen)
        }
    }

    /// The bytes of a range, as they arrive.
    private final class Producer: ChunkProducer {
        private let source: StandardInputSource
        private let rest: Mutex<Range<Int64>>

        init(_ source: StandardInputSource, _ range: Range<Int64>) {
            self.source = source
            self.rest = Mutex(range)
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            let rest = self.rest.withLock { $0 }
            guard !rest.isEmpty else { return nil }
            let count = try await self.source.wait(forMoreThan: rest.lowerBound)
            let end = min(rest.upperBound, count, rest.lowerBound + Int64(pieceSize))
            guard end > rest.lowerBound else { return nil }
            var bytes = [UInt8](repeating: 0, count: Int(end - rest.lowerBound))
            let isRead = bytes.withUnsafeMutableBytes {
                (try? self.source.file.read(into: $0, at: rest.lowerBound)) != nil
            }
            guard isRead else { throw StandardInputSource.failure }
            self.rest.withLock { $0 = end..<max(end, $0.upperBound) }
            return ByteChunk(at: rest.lowerBound, memory: ByteMemory(bytes))
        }

        func cancel() { self.rest.withLock { $0 = $0.upperBound..<$0.upperBound } }
    }
}
