// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// Sends the held bytes of responses: straight to the system as far as it takes them, else as
/// pieces for the channel.
///
/// The bytes that are still to be sent are in ``Exchange/run``. Each call prepares or sends one
/// piece, and returns the step that the connection has to take. So no call ends a response, and
/// none calls another.
struct HeldSender {
    /// The connection's next step.
    enum Step {
        /// Go on with the next piece: the system has taken this one, or the run has its next slice.
        case goOn
        /// End the response: the system has taken all of it.
        case finish
        /// Write a piece to the channel.
        case write(IOData, bodyBytes: Int64, lentBy: FileLoan?)
        /// Let other connections send, then go on.
        case letOthersSend
        /// Take the client's next turn, then go on.
        case takeTurn(wanting: Int64)
        /// Pull these bytes from the source: they are not held, or cannot be read.
        case pull(Range<Int64>)
    }

    /// The most bytes of a file in one write.
    private static let largestPiece: Int64 = 1024 * 1024
    /// The most bytes that one connection sends before others have their turn.
    ///
    /// A client that reads as fast as the proxy sends would otherwise keep the event loop to
    /// itself.
    private static let turnSize: Int64 = 4 * 1024 * 1024
    /// The same limit for bytes that cost more: decrypted bytes, and bytes that wait for an origin.
    static let shortTurnSize: Int64 = 1024 * 1024

    /// The largest body that is copied for a client that is alone.
    ///
    /// The copy of so few bytes takes less time than a further system call.
    private static let smallSize: Int64 = 16 * 1024

    /// What the connections of this event loop share: heads and copied bytes are put together in
    /// its buffer.
    let loopState: NIOLoopBoundBox<LoopState>
    /// The socket, while the channel is active.
    var socket: DirectSocket?

    init(loopState: NIOLoopBoundBox<LoopState>) {
        self.loopState = loopState
    }

    /// The most bytes of the next piece: less if the client's current turn allows fewer.
    static func pieceSize(_ exchange: Exchange) -> Int64 {
        min(Self.largestPiece, exchange.allowance)
    }

    /// Sends or prepares the next piece of a response's run.
    func next(_ run: Exchange.Run, _ exchange: Exchange) -> Step {
        let lower = run.slice.range.lowerBound
        guard !run.slice.range.isEmpty else { return self.continueRun(run, exchange) }
        let isLent = run.slice.file.descriptor != nil
        guard exchange.bytesInTurn < (isLent ? Self.turnSize : Self.shortTurnSize) else {
            exchange.bytesInTurn = 0
            return .letOthersSend
        }
        guard exchange.allowance > 0 else { return .takeTurn(wanting: run.end - lower) }
        if !isLent, let socket {
            let limit = min(ResidentPiece.copySize, exchange.allowance)
            return self.loopState.withBuffer(capacity: Int(limit)) { buffer in
                guard let count = buffer.appendStart(of: run.slice, upTo: limit)
                else { return .pull(lower..<run.end) }
                exchange.runWritten(upTo: lower + count)
                return self.hand(&buffer, count, headCount: 0, over: socket, exchange)
            }
        }
        guard let piece = ResidentPiece(run.slice, upTo: Self.pieceSize(exchange))
        else { return .pull(lower..<run.end) }
        return self.step(for: piece, exchange)
    }

    /// Takes a piece from a response's run, for the channel.
    func step(for piece: ResidentPiece, _ exchange: Exchange) -> Step {
        exchange.runWritten(upTo: piece.range.upperBound)
        let count = piece.range.upperBound - piece.range.lowerBound
        return .write(piece.data, bodyBytes: count, lentBy: piece.loan)
    }

    /// Sends a head and the first bytes of a body.
    ///
    /// A client that is alone gets the head first: it wakes up while the system prepares the body,
    /// so that two processors work at once. It is alone if the event loop's last response of held
    /// bytes was its own. If other clients send requests too, the processors are likely busy, and a
    /// further wake-up or system call costs time: then the head and the body are joined, and a body
    /// of up to 64 KiB is copied behind its head. A small body is always copied, and so are bytes
    /// that no descriptor lends.
    ///
    /// A body is copied before the head is sent, so that the source can still be asked if the file
    /// has become unreadable. A body that is not copied ends early then.
    ///
    /// - Parameters:
    ///   - slice: bytes from the body's start on.
    ///   - end: the end of the body.
    ///   - buffer: the buffer, which holds the head; copied bytes are appended.
    ///   - socket: the socket to write to.
    ///   - exchange: the response.
    /// - Returns: the step that follows; `nil` if the bytes cannot be read; nothing has been written
    ///   then.
    func begin(
        _ slice: ResidentSlice,
        upTo end: Int64,
        behindHeadIn buffer: inout ByteBuffer,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Step? {
        let isAlone = self.loopState.value.lastSocket == socket
        let start = slice.range.lowerBound
        let largestCopy = isAlone ? Self.smallSize : ResidentPiece.copySize
        let isCopied =
            slice.file.descriptor == nil
            || slice.range.upperBound == end && end - start <= largestCopy
        guard isCopied else {
            self.loopState.value.lastSocket = socket
            return self.send(
                slice,
                upTo: end,
                behindHeadIn: &buffer,
                joined: !isAlone,
                over: socket,
                exchange
            )
        }
        let headCount = buffer.readableBytes
        guard let count = buffer.appendStart(of: slice, upTo: ResidentPiece.copySize)
        else { return nil }
        self.loopState.value.lastSocket = socket
        exchange.bytesInTurn += count
        exchange.begin(slice, from: start + count, to: end)
        return self.hand(&buffer, count, headCount: headCount, over: socket, exchange)
    }

    /// Sends a head and the first bytes of a file with a descriptor, without a copy.
    private func send(
        _ slice: ResidentSlice,
        upTo end: Int64,
        behindHeadIn buffer: inout ByteBuffer,
        joined: Bool,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Step {
        let start = slice.range.lowerBound
        let piece = min(slice.range.upperBound - start, Self.pieceSize(exchange))
        let taken = buffer.withUnsafeReadableBytes { head in
            socket.write(
                head,
                then: slice.file,
                at: slice.fileOffset,
                count: Int(piece),
                joined: joined
            )
        }
        exchange.sentByteCount = Int64(taken.body)
        exchange.allowance -= exchange.sentByteCount
        exchange.begin(slice, from: start + exchange.sentByteCount, to: end)
        guard taken.head < buffer.readableBytes else {
            return exchange.isWritten ? .finish : .goOn
        }
        buffer.moveReaderIndex(forwardBy: taken.head)
        return .write(.byteBuffer(buffer), bodyBytes: 0, lentBy: nil)
    }

    /// Hands bytes to the system.
    ///
    /// No other write may be pending.
    ///
    /// - Returns: the step that follows: the channel gets the bytes that the system does not take
    ///   at once.
    private func hand(
        _ buffer: inout ByteBuffer,
        _ bodyCount: Int64,
        headCount: Int,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Step {
        let taken = buffer.withUnsafeReadableBytes { socket.write($0) }
        let bodyTaken = Int64(max(0, taken - headCount))
        exchange.sentByteCount += bodyTaken
        exchange.allowance -= bodyTaken
        guard taken < buffer.readableBytes else { return exchange.isWritten ? .finish : .goOn }
        buffer.moveReaderIndex(forwardBy: taken)
        return .write(.byteBuffer(buffer), bodyBytes: bodyCount - bodyTaken, lentBy: nil)
    }

    /// Continues after a sent run with a resident slice of the same generation, or else with a
    /// reading.
    private func continueRun(_ run: Exchange.Run, _ exchange: Exchange) -> Step {
        let rest = run.slice.range.upperBound..<run.end
        guard let next = exchange.source?.residentSlice(.span(rest)),
            next.range.contains(rest.lowerBound), let generation = next.resource.generation,
            generation == exchange.description?.generation,
            next.resource.length == exchange.description?.length
        else { return .pull(rest) }
        exchange.run?.slice = next.clamped(to: rest)
        return .goOn
    }
}

/// The next bytes of a resident slice: lent by the file if it has a descriptor, or else read into
/// memory.
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
    /// - Returns: `nil` if the file is shorter than before or cannot be read; the caller then asks
    ///   the source.
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
    /// Appends the first bytes of a slice, as many as one read of its file returns.
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
            // The file was cut short: its bytes are compared again before a reader gets more of
            // them.
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
