// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One connection of a station: reads one request, and writes each decided portion separately.
///
/// It works on bytes: no HTTP codec writes the heads of stations.
final class RadioConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Reports to all connections that stalls are over.
    struct StallsEnded: Sendable {}

    private static let headLimit = 64 * 1024

    private let answer: @Sendable (ServerRequest) -> (number: Int, answer: RadioAnswer)
    private let bytesLeft: @Sendable (_ number: Int, _ count: Int, _ audioCount: Int) -> Void
    private let ended: @Sendable (_ number: Int) -> Void
    private var request: [UInt8] = []
    private var number: Int?
    private var sending: RadioSending?
    private var began = NIODeadline.now()
    private var isPumping = false
    private var timer: Scheduled<Void>?

    /// Makes the handler between the socket and the decisions; all closures are called on event
    /// loops.
    ///
    /// - Parameters:
    ///   - answer: decides on an answer, and gives it a number for the other calls.
    ///   - bytesLeft: more bytes have been written to the socket; `audioCount` of them are sound.
    ///   - ended: the connection has ended.
    init(
        answer: @escaping @Sendable (ServerRequest) -> (number: Int, answer: RadioAnswer),
        bytesLeft: @escaping @Sendable (_ number: Int, _ count: Int, _ audioCount: Int) -> Void,
        ended: @escaping @Sendable (_ number: Int) -> Void
    ) {
        self.answer = answer
        self.bytesLeft = bytesLeft
        self.ended = ended
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A station reads one request and no more.
        guard self.number == nil else { return }
        self.request += self.unwrapInboundIn(data).readableBytesView
        guard let request = ServerRequest(head: self.request) else {
            if self.request.count > Self.headLimit { context.close(promise: nil) }
            return
        }
        self.begin(request, context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.pump(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is StallsEnded {
            self.sending?.endStall()
            self.pump(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.sending = nil
        if let number { self.ended(number) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Sending

    private func begin(_ request: ServerRequest, _ context: ChannelHandlerContext) {
        let (number, answer) = self.answer(request)
        self.number = number
        self.request = []
        self.began = context.eventLoop.now
        self.write(answer.head, audioCount: 0, context)
        self.sending = answer.sending
        guard self.sending != nil else {
            self.finish(context)
            return
        }
        self.pump(context)
    }

    /// Writes while the channel has room and the pace allows it; the channel or the timer calls
    /// again.
    private func pump(_ context: ChannelHandlerContext) {
        guard !self.isPumping else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        while context.channel.isWritable, var sending {
            let elapsed = context.eventLoop.now - self.began
            let step = sending.next(now: .nanoseconds(elapsed.nanoseconds))
            self.sending = sending
            switch step {
            case .write(let bytes, let audioCount):
                self.write(bytes, audioCount: audioCount, context)
            case .wait(let time):
                self.wait(until: time, context)
                return
            case .stall:
                return
            case .close:
                self.finish(context)
                return
            }
        }
    }

    private func wait(until time: Duration, _ context: ChannelHandlerContext) {
        let (seconds, attoseconds) = time.components
        let nanoseconds = min(seconds, 1 << 32) * 1_000_000_000 + attoseconds / 1_000_000_000
        let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.timer?.cancel()
        // One nanosecond more, because times were rounded down.
        self.timer = context.eventLoop.scheduleTask(
            deadline: self.began + .nanoseconds(nanoseconds + 1)
        ) {
            let (handler, context) = connection.value
            handler.pump(context)
        }
    }

    private func write(_ bytes: [UInt8], audioCount: Int, _ context: ChannelHandlerContext) {
        guard let number else { return }
        let (count, bytesLeft) = (bytes.count, self.bytesLeft)
        context.writeAndFlush(
            self.wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes))
        )
        .whenSuccess { bytesLeft(number, count, audioCount) }
    }

    /// Closes the connection when everything has been written.
    private func finish(_ context: ChannelHandlerContext) {
        self.sending = nil
        let channel = context.channel
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}

extension ServerRequest {
    /// Reads a head; `nil` while it is incomplete.
    init?(head bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        let fields = lines.dropFirst().compactMap { line -> HeaderField? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return HeaderField(String(line[..<colon]), String(value))
        }
        self.init(
            method: words.first.map(String.init) ?? "",
            target: words.count > 1 ? String(words[1]) : "/",
            fields: fields
        )
    }
}
