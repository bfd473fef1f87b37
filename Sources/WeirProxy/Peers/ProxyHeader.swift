// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The header of the PROXY protocol, which a load balancer sends first on a client's connection.
///
/// Versions 1 and 2, as HAProxy's `doc/proxy-protocol.txt` defines them.
enum ProxyHeader: Equatable {
    /// A header of `size` bytes; `client` is `nil` for a connection of the balancer's own, such as a health check.
    case whole(client: ClientAddress?, size: Int)
    /// More bytes are needed.
    case incomplete
    /// The bytes are not a header.
    case wrong

    /// The most bytes of a header; no balancer sends optional fields of this length.
    static let maximumSize = 4096

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let longestLine = 107

    /// Reads the first bytes of a connection.
    init(_ bytes: some RandomAccessCollection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.maximumSize))
        let known = min(bytes.count, Self.signature.count)
        if bytes[..<known].elementsEqual(Self.signature[..<known]), known > 0 {
            self = known < Self.signature.count ? .incomplete : Self.binary(bytes)
        } else {
            self = Self.line(bytes)
        }
    }

    /// Version 2: signature, version and command, family, length of the rest, addresses, optional fields.
    private static func binary(_ bytes: [UInt8]) -> ProxyHeader {
        guard bytes.count >= 16 else { return .incomplete }
        let size = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 0xF <= 1, size <= self.maximumSize else {
            return .wrong
        }
        guard bytes.count >= size else { return .incomplete }
        let isForClient = bytes[12] & 0xF == 1
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch (isForClient, bytes[13] >> 4) {
        case (true, 1):
            guard size >= 16 + 12 else { return .wrong }
            return .whole(client: ClientAddress(ipv4: UInt32(number(16..<20))), size: size)
        case (true, 2):
            guard size >= 16 + 36 else { return .wrong }
            let client = ClientAddress(ipv6: (number(16..<24), number(24..<32)))
            return .whole(client: client, size: size)
        default:
            return .whole(client: nil, size: size)
        }
    }

    /// Version 1: `PROXY TCP4 CLIENT SERVER PORT PORT` and a line end, or `PROXY UNKNOWN` and anything.
    private static func line(_ bytes: [UInt8]) -> ProxyHeader {
        let begin = Array("PROXY ".utf8)
        let known = min(bytes.count, begin.count)
        guard bytes[..<known].elementsEqual(begin[..<known]) else { return .wrong }
        let first = bytes.prefix(self.longestLine)
        guard let end = first.firstIndex(of: UInt8(ascii: "\n")) else {
            return first.count < self.longestLine ? .incomplete : .wrong
        }
        guard bytes[end - 1] == UInt8(ascii: "\r"),
            let text = String(validating: bytes[..<(end - 1)], as: UTF8.self)
        else { return .wrong }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.count >= 2, words[1] == "UNKNOWN" { return .whole(client: nil, size: end + 1) }
        let family: NIOBSDSocket.ProtocolFamily
        switch words.count == 6 ? words[1] : "" {
        case "TCP4": family = .inet
        case "TCP6": family = .inet6
        default: return .wrong
        }
        guard let client = try? SocketAddress(ipAddress: String(words[2]), port: 0),
            client.protocol == family, UInt16(words[4]) != nil, UInt16(words[5]) != nil
        else { return .wrong }
        return .whole(client: ClientAddress(client), size: end + 1)
    }
}

/// The connections of load balancers whose header has not come yet.
///
/// If there are too many, the oldest one is closed. They have no client, and so no slot. No other connection is
/// closed for one of them.
final class ProxyHeaderQueue: Sendable {
    /// How many may wait at a time: a balancer sends the header at once.
    private static let longest = 64

    private let waiting = Mutex([any Channel]())

    /// A connection has arrived.
    func add(_ channel: any Channel) {
        let oldest = self.waiting.withLock { waiting -> (any Channel)? in
            waiting.append(channel)
            return waiting.count > Self.longest ? waiting.removeFirst() : nil
        }
        oldest?.close(promise: nil)
    }

    /// The header of a connection has come, or the connection has ended.
    func remove(_ channel: any Channel) {
        self.waiting.withLock { $0.removeAll { $0 === channel } }
    }

    /// Closes the oldest connection, whose descriptor is needed.
    ///
    /// - Returns: whether there was a connection.
    func shed() -> Bool {
        let oldest = self.waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        oldest?.close(promise: nil)
        return oldest != nil
    }
}

/// Reads the header of a load balancer's connection, and then sets the connection up for the named client.
final class ProxyHeaderReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How long a header may take to come.
    static let patience = TimeAmount.seconds(5)

    /// Adds the handlers of a client's connection behind this one; returns false if it must be closed.
    private let setUp: (ClientAddress) throws -> Bool
    private let queue: ProxyHeaderQueue
    private var bytes = ByteBuffer()
    private var timer: Scheduled<Void>?

    init(_ queue: ProxyHeaderQueue, _ setUp: @escaping (ClientAddress) throws -> Bool) {
        self.queue = queue
        self.setUp = setUp
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.queue.add(context.channel)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(in: Self.patience) {
            bound.value.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.queue.remove(context.channel)
        self.timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
        switch ProxyHeader(self.bytes.readableBytesView) {
        case .incomplete: return
        case .wrong: return context.close(promise: nil)
        case .whole(let client, let size):
            let address = client ?? ClientAddress(context.channel.remoteAddress)
            guard (try? self.setUp(address)) == true else { return context.close(promise: nil) }
            self.bytes.moveReaderIndex(forwardBy: size)
            if self.bytes.readableBytes > 0 {
                context.fireChannelRead(self.wrapInboundOut(self.bytes))
            }
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The header can no longer come.
        if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ProxyHeaderReader: Sendable {}
