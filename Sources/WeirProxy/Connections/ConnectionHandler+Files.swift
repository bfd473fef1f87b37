// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ConnectionHandler {
    /// The most bytes of a file in one write.
    private static let pieceSize: Int64 = 1024 * 1024
    /// The same limit, or less if the client's current turn allows fewer bytes.
    func pieceSize(_ exchange: Exchange) -> Int64 { min(Self.pieceSize, exchange.allowance) }
    /// The most bytes that one connection sends before others have their turn.
    ///
    /// A client that reads as fast as the proxy sends would otherwise keep the event loop to itself.
    static let turnSize: Int64 = 4 * 1024 * 1024
    /// The same limit for bytes that cost more: those that are decrypted, or wait for an origin.
    static let shortTurnSize: Int64 = 1024 * 1024

    /// Sends pieces of a resident run for as long as the system takes them at once.
    ///
    /// Sending resumes when the system has taken the last piece. A call from within this function for the same response
    /// does nothing: writes that complete at once would otherwise nest as deep as the file is long.
    ///
    /// - Parameters:
    ///   - exchange: the response that the run is a part of.
    ///   - first: the first piece, if it has been taken already.
    func pump(_ exchange: Exchange, beginningWith first: ResidentPiece? = nil) {
        guard !exchange.isPumping else { return }
        exchange.isPumping = true
        defer { exchange.isPumping = false }
        var first = first
        while self.exchange === exchange, exchange.outstandingWrites == 0, let run = exchange.run {
            guard !run.slice.range.isEmpty else {
                self.continueRun(run, exchange)
                continue
            }
            let isLent = run.slice.file.descriptor != nil
            guard exchange.bytesInTurn < (isLent ? Self.turnSize : Self.shortTurnSize) else {
                exchange.bytesInTurn = 0
                return self.afterOthers { self.pump(exchange) }
            }
            guard exchange.allowance > 0 || self.takeTurn(for: run, exchange) else { return }
            if first == nil, !isLent, let socket = self.socket {
                guard self.pumpCopy(run, over: socket, exchange) else {
                    exchange.run = nil
                    return self.pull(exchange, continuing: run.slice.range.lowerBound..<run.end)
                }
                continue
            }
            guard let piece = first ?? ResidentPiece(run.slice, upTo: self.pieceSize(exchange))
            else {
                exchange.run = nil
                return self.pull(exchange, continuing: run.slice.range.lowerBound..<run.end)
            }
            first = nil
            let middle = piece.range.upperBound
            if middle == run.end {
                exchange.run = nil
                exchange.isWritten = true
            } else {
                exchange.run?.slice = run.slice.clamped(to: middle..<run.slice.range.upperBound)
            }
            let count = middle - piece.range.lowerBound
            exchange.bytesInTurn += count
            self.write(piece.data, bodyBytes: count, lentBy: piece.loan, exchange)
        }
    }

    /// Sends the head and the first bytes of a slice that must be read into memory.
    ///
    /// The channel sends the bytes that the system does not take at once, and all later ones.
    ///
    /// - Parameters:
    ///   - slice: bytes from the body's start on.
    ///   - part: the body.
    ///   - plan: the plan of the response.
    ///   - request: the request.
    ///   - socket: the socket to write to.
    ///   - exchange: the response.
    /// - Returns: false if the bytes cannot be read; nothing has been written then.
    func sendCopy(
        _ slice: ResidentSlice,
        _ part: Range<Int64>,
        _ plan: ResponsePlan,
        _ request: RequestHead,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Bool {
        let lower = slice.range.lowerBound
        let limit = ResidentPiece.copySize
        let capacity = ResponseHead.usualSize + Int(limit)
        let isSent = self.scratch.withBuffer(capacity: capacity) { buffer in
            self.writeHead(plan, part, of: slice.resource, request, exchange, into: &buffer)
            let headCount = buffer.readableBytes
            guard let count = buffer.appendStart(of: slice, upTo: limit) else { return false }
            exchange.note(plan, closing: self.isLastResponse)
            if lower + count == part.upperBound {
                exchange.isWritten = true
            } else {
                exchange.description = slice.resource
                exchange.run = Exchange.Run(
                    slice: slice.clamped(to: (lower + count)..<slice.range.upperBound),
                    end: part.upperBound
                )
            }
            exchange.bytesInTurn += count
            self.hand(&buffer, count, headCount: headCount, over: socket, exchange)
            return true
        }
        // `pump` does nothing for a response that has ended, or waits for the channel.
        if isSent, !exchange.isWritten { self.pump(exchange) }
        return isSent
    }

    /// Sends the next piece of a run that must be read into memory.
    ///
    /// - Returns: false if the bytes cannot be read.
    private func pumpCopy(
        _ run: Exchange.Run,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Bool {
        let lower = run.slice.range.lowerBound
        let limit = min(ResidentPiece.copySize, exchange.allowance)
        return self.scratch.withBuffer(capacity: Int(limit)) { buffer in
            guard let count = buffer.appendStart(of: run.slice, upTo: limit)
            else { return false }
            exchange.run?.slice = run.slice.clamped(
                to: (lower + count)..<run.slice.range.upperBound
            )
            exchange.bytesInTurn += count
            self.hand(&buffer, count, headCount: 0, over: socket, exchange)
            return true
        }
    }

    /// Hands bytes to the system, and the bytes that it does not take at once to the channel.
    ///
    /// No other write may be pending.
    private func hand(
        _ buffer: inout ByteBuffer,
        _ bodyCount: Int64,
        headCount: Int,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) {
        let taken = buffer.withUnsafeReadableBytes { socket.write($0) }
        let bodyTaken = Int64(max(0, taken - headCount))
        exchange.sentByteCount += bodyTaken
        exchange.allowance -= bodyTaken
        if let run = exchange.run, run.slice.range.isEmpty, run.slice.range.lowerBound == run.end {
            exchange.run = nil
            exchange.isWritten = true
        }
        guard taken < buffer.readableBytes else {
            if exchange.isWritten { self.finish(exchange) }
            return
        }
        buffer.moveReaderIndex(forwardBy: taken)
        self.write(.byteBuffer(buffer), bodyBytes: bodyCount - bodyTaken, exchange)
    }

    /// Continues after a sent run with a resident slice of the same generation, or else with a reading.
    private func continueRun(_ run: Exchange.Run, _ exchange: Exchange) {
        let rest = run.slice.range.upperBound..<run.end
        if let next = exchange.source?.residentSlice(.span(rest)),
            next.range.contains(rest.lowerBound), let generation = next.resource.generation,
            generation == exchange.description?.generation,
            next.resource.length == exchange.description?.length
        {
            exchange.run?.slice = next.clamped(to: rest)
        } else {
            exchange.run = nil
            self.pull(exchange, continuing: rest)
        }
    }

    // MARK: Turns of the client

    private func takeTurn(for run: Exchange.Run, _ exchange: Exchange) -> Bool {
        self.takeTurn(exchange, wanting: run.end - run.slice.range.lowerBound) {
            self.pump(exchange)
        }
    }

    /// Takes the client's next turn; a turn is paid for before it is used.
    ///
    /// - Parameters:
    ///   - exchange: the response, which has used up its previous turn.
    ///   - wanted: how many bytes the response has to send, or more.
    ///   - goOn: called when the turn comes later than now, unless the response has ended.
    /// - Returns: whether the turn has come now.
    func takeTurn(
        _ exchange: Exchange,
        wanting wanted: Int64,
        goOn: @escaping () -> Void
    ) -> Bool {
        guard let pace else { return true }
        guard !exchange.awaitsTurn else { return false }
        let bytes = min(max(1, wanted), pace.turnSize)
        let bound = NIOLoopBound((self, exchange, goOn), eventLoop: self.eventLoop)
        let (client, id) = (self.client.id, self.claim.id)
        let (turn, limit) = pace.ask(for: bytes, by: client, on: id, self.eventLoop) {
            let (connection, exchange, goOn) = bound.value
            exchange.awaitsTurn = false
            exchange.allowance = bytes
            if connection.exchange === exchange {
                goOn()
            } else {
                connection.leaveTurn(exchange)
            }
        }
        exchange.turn = turn
        guard let limit else {
            exchange.allowance = bytes
            return true
        }
        exchange.awaitsTurn = true
        exchange.bytesInTurn = 0
        self.service.onEvent?(.limited(limit))
        return false
    }

    /// Returns the unused bytes of the client's turn after a response has ended.
    func leaveTurn(_ exchange: Exchange) {
        guard let pace, let turn = exchange.turn else { return }
        if exchange.awaitsTurn {
            // If the turn was granted in this moment, its callback returns it.
            if pace.left(turn) { exchange.turn = nil }
        } else {
            exchange.turn = nil
            pace.returned(exchange.allowance, of: turn, on: self.eventLoop)
        }
    }

    /// Runs work after the event loop has polled its sockets.
    ///
    /// A task that the event loop submits to itself runs before the next poll, and so do tasks that such tasks
    /// submit. So another thread submits this one.
    func afterOthers(_ work: @escaping () -> Void) {
        // Without a socket there are no other connections: the event loop is a test's.
        guard self.socket != nil else { return self.eventLoop.assumeIsolated().execute(work) }
        let bound = NIOLoopBound(work, eventLoop: self.eventLoop)
        DispatchQueue.global(qos: .userInitiated).async { [eventLoop] in
            eventLoop.execute { bound.value() }
        }
    }
}

/// The next bytes of a resident slice: lent by the file if it has a descriptor, or else read into memory.
struct ResidentPiece {
    /// The most bytes that are read into memory at a time.
    static let copySize: Int64 = 64 * 1024

    /// The bytes.
    let data: IOData
    /// Their byte range in the resource.
    let range: Range<Int64>
    /// The loan to keep until the bytes are written.
    let loan: FileLoan?

    /// Takes the first bytes of a slice.
    ///
    /// - Returns: `nil` if the file is shorter than before or cannot be read; the caller then asks the source.
    init?(_ slice: ResidentSlice, upTo limit: Int64) {
        guard slice.file.descriptor == nil else {
            guard let loan = FileLoan(slice, upTo: limit) else { return nil }
            self.loan = loan
            self.data = .fileRegion(loan.region)
            self.range = loan.range
            return
        }
        let lower = slice.range.lowerBound
        let count = min(slice.range.upperBound - lower, limit, Self.copySize)
        var buffer = ByteBufferAllocator().buffer(capacity: Int(count))
        guard let read = buffer.appendStart(of: slice, upTo: count) else { return nil }
        self.loan = nil
        self.data = .byteBuffer(buffer)
        self.range = lower..<(lower + read)
    }
}

extension ByteBuffer {
    /// Appends the first bytes of a slice, as many as one read of its file gives.
    ///
    /// A read of an encrypted file ends where a chunk ends, so no chunk is decrypted twice.
    ///
    /// - Returns: the number of bytes; `nil` if none can be read.
    mutating func appendStart(of slice: ResidentSlice, upTo limit: Int64) -> Int64? {
        let count = Int(min(slice.range.upperBound - slice.range.lowerBound, limit))
        let read = try? self.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            try slice.file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(count)),
                at: slice.fileOffset
            )
        }
        guard let read, read > 0 else {
            // The file was cut short: its bytes are compared again before a reader gets more of them.
            if read == 0, count > 0 { slice.file.doubt() }
            return nil
        }
        return Int64(read)
    }

    /// Appends a whole slice.
    ///
    /// - Returns: false if the file could not be read or is too short.
    mutating func append(_ slice: ResidentSlice) -> Bool {
        let wanted = Int(slice.range.upperBound - slice.range.lowerBound)
        let read = try? self.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { space in
            try slice.load(into: space)
            return wanted
        }
        return read != nil
    }
}

/// Lends the descriptor of a leased file to NIO for one write.
///
/// NIO sends a file through an `NIOFileHandle`. The handle assumes that it owns the descriptor, and must be closed or
/// relieved of the descriptor before it is released. But the leased file owns the descriptor, and other connections
/// send from it, by position, at the same time. A duplicate for every response would cost two system calls. So the
/// loan takes the descriptor back when it ends, and never closes it. The writer of ``region`` keeps the loan until
/// the write has succeeded or failed. That keeps both the handle and the file alive for as long as NIO may use them,
/// also when the connection closes in mid-write.
final class FileLoan {
    /// The bytes, as NIO takes them.
    let region: FileRegion
    /// Their byte range in the resource.
    let range: Range<Int64>

    private let file: any LeasedFile

    /// Borrows the file that a slice lies in, for the first bytes of the slice.
    ///
    /// - Returns: `nil` if the file has no descriptor to lend, or ends before these bytes end. The system call that
    ///   sends from a file does not report a file that is too short, and NIO would repeat the call for ever.
    init?(_ slice: ResidentSlice, upTo limit: Int64) {
        let lower = slice.range.lowerBound
        let count = min(slice.range.upperBound - lower, limit)
        let (end, isTooFar) = slice.fileOffset.addingReportingOverflow(count)
        var status = stat()
        guard slice.fileOffset >= 0, count >= 0, !isTooFar,
            let descriptor = slice.file.descriptor, fstat(descriptor, &status) == 0
        else { return nil }
        guard Int64(status.st_size) >= end else {
            // The file was cut short: its bytes are compared again before a reader gets more of them.
            slice.file.doubt()
            return nil
        }
        self.file = slice.file
        self.range = lower..<(lower + count)
        self.region = FileRegion(
            fileHandle: NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor),
            readerIndex: Int(slice.fileOffset),
            endIndex: Int(end)
        )
    }

    /// The write failed.
    func failed(_ error: any Error) {
        // Any other error concerns the connection.
        if let error = error as? IOError, error.errnoCode == EIO { self.file.doubt() }
    }

    deinit {
        _ = try? self.region.fileHandle.takeDescriptorOwnership()
    }
}
