// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The last handler of a connection's pipeline: takes decoded requests, and writes responses.
///
/// It writes bytes and file regions. ``ConnectionMachine`` decides when each request is served,
/// ``AccessRules`` which clients are admitted, and ``ResponsePlan`` which response they get; this
/// class acts. Resident bytes are sent in the event that brings the request, on the event loop and
/// without a task. A ``ColdReader`` pulls all other bytes.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How long an ending connection is still read, so that the client sees its response.
    private static let lingerTime = TimeAmount.seconds(1)
    /// How many bytes are read during that time.
    private static let lingerBytes = 4 * 1024 * 1024

    let service: ConnectionService
    let eventLoop: any EventLoop
    /// The client's address: the other end of the connection, or the address that a load balancer
    /// names.
    let client: ClientAddress
    /// Limits the rates of clients; `nil`: there is no limit.
    var pace: SendingPace? { self.service.pace }
    /// The claim of a connection slot.
    var claim: SlotClaim
    /// Sends the held bytes of responses.
    private(set) var sender: HeldSender
    /// The checks on a client that has closed its sending half.
    var halfClosed: HalfClosedClient?
    private(set) var context: ChannelHandlerContext?
    /// The last request and its admission.
    ///
    /// `revision` is the revision of the pass, if the address may contain a right of its own.
    var lastAdmission: (request: RequestHead, admission: AccessRules.Admission, revision: Int?)?
    /// Writes the heads of further parts of the last part's resource.
    var partHead: PartHead?
    private var machine = ConnectionMachine<Exchange>()
    /// The number of requests so far.
    private var requestCount = 0
    /// The response that is being sent.
    private(set) var exchange: Exchange?
    private var isAdvancing = false
    private var isReadHeld = false
    private var idleSince: NIODeadline?
    private var timer: Scheduled<Void>?
    private var lingerBytesLeft = 0

    init(
        service: ConnectionService,
        client: ClientAddress,
        claim: SlotClaim,
        on eventLoop: any EventLoop
    ) {
        self.service = service
        self.client = client
        self.claim = claim
        self.eventLoop = eventLoop
        self.sender = HeldSender(loopState: service.loopState(of: eventLoop))
    }

    /// The handlers of a connection's channel.
    static func pipeline(
        _ service: ConnectionService,
        client: ClientAddress,
        claim: SlotClaim,
        on eventLoop: any EventLoop
    ) -> [any ChannelHandler] {
        let connection = ConnectionHandler(
            service: service,
            client: client,
            claim: claim,
            on: eventLoop
        )
        return [PlainRequestReader(for: connection), connection]
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Behind a load balancer the connection is active before its client is known.
        if context.channel.isActive { self.sender.socket = DirectSocket(of: context.channel) }
        self.idleSince = self.eventLoop.now
        self.startTimer(after: self.service.idleTimeout)
        if !self.service.registry.joined(self, self.claim, on: self.eventLoop) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.leave()
        self.timer?.cancel()
        self.context = nil
        self.service.registry.left(self.claim.id)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.sender.socket = DirectSocket(of: context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.sender.socket = nil
        self.leave()
        context.fireChannelInactive()
    }

    /// The proxy is shutting down: no further request is served.
    func serverStopped() {
        self.machine.serverStopped()
        self.advance()
    }

    /// Ends the connection, even in the middle of a response.
    func close() {
        self.context?.close(promise: nil)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.received(RequestHead(head))
        case .body(let bytes):
            self.drop(bytes.readableBytes)
        case .end:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard context.channel.isActive else { return }
        switch error {
        case RequestDecoder.HeadError.targetTooLong:
            self.refuse(.targetTooLong)
        case RequestDecoder.HeadError.fieldsTooLarge:
            self.refuse(.fieldsTooLarge)
        case RequestDecoder.HeadError.bareLineFeed:
            self.refuse(.bareLineFeed)
        case HTTPParserError.invalidVersion:
            self.refuse(.unknownVersion)
        case HTTPParserError.invalidEOFState:
            // The client left in mid-request; its earlier requests are still answered.
            break
        case is HTTPParserError:
            self.refuse(.unreadable)
        case ByteToMessageDecoderError.dataReceivedInErrorState(_, let bytes):
            self.drop(bytes.readableBytes)
        default:
            self.close()
        }
    }

    /// A request has come.
    func received(_ head: RequestHead) {
        let sequel: ConnectionMachine<Exchange>.Sequel =
            head.isFollowed ? .other : head.keepsAlive ? .requests : .nothing
        self.received(.head(head), followedBy: sequel)
    }

    private func refuse(_ answer: PlainAnswer) {
        self.received(.refused(answer), followedBy: .other)
    }

    private func received(
        _ request: Exchange.Request,
        followedBy sequel: ConnectionMachine<Exchange>.Sequel
    ) {
        self.requestCount += 1
        let id = ConnectionRequestID(connection: self.claim.id.rawValue, request: self.requestCount)
        self.machine.requestReceived(
            Exchange(request, id: id, isPaced: self.pace != nil, at: self.eventLoop.now),
            followedBy: sequel
        )
        self.advance()
    }

    /// Lets the channel read, or holds the read back while enough requests wait.
    func read(context: ChannelHandlerContext) {
        if self.machine.wantsInput {
            context.read()
        } else {
            self.isReadHeld = true
        }
    }

    private func releaseRead() {
        guard self.isReadHeld, self.machine.wantsInput else { return }
        self.isReadHeld = false
        self.context?.read()
    }

    /// Performs the steps of the machine until it waits or closes.
    private func advance() {
        guard !self.isAdvancing, let context else { return }
        self.isAdvancing = true
        defer { self.isAdvancing = false }
        while true {
            switch self.machine.next() {
            case .serve(let exchange):
                self.idleSince = nil
                self.claim.activity.store(.served)
                self.exchange = exchange
                switch exchange.request {
                case .head(let request): self.begin(request, exchange)
                case .refused(let answer): self.answer(answer, exchange)
                }
            case .awaitRequest:
                let now = self.eventLoop.now
                self.idleSince = now
                self.claim.activity.store(.idle(since: now))
                return self.releaseRead()
            case .wait:
                return self.releaseRead()
            case .close(let isLingering):
                return isLingering ? self.closeSlowly(context) : context.close(promise: nil)
            }
        }
    }

    // MARK: Responses

    /// Whether the response that begins now is the connection's last.
    var isLastResponse: Bool { self.machine.isLast }

    /// The system has taken the whole response.
    func finish(_ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        self.leaveTurn(exchange)
        if self.claim.isStalled { self.claim.caughtUp() }
        self.report(exchange, isAborted: false)
        self.machine.responseEnded(closing: exchange.closes)
        self.advance()
    }

    /// Ends the connection of a response that cannot be completed.
    ///
    /// The response ends short, so that no player treats a part as the whole. If the end of the
    /// connection is the end of the body, only a reset shows that the body is incomplete.
    func cutShort(_ exchange: Exchange) {
        guard self.exchange === exchange, let context else { return }
        self.leave()
        if exchange.framing == .untilClose {
            let reset = linger(l_onoff: 1, l_linger: 0)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(reset)
        }
        context.close(promise: nil)
    }

    /// The client sends no more: it has left, or it closed its sending half and waits for its
    /// answers.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            self.machine.inputClosed()
            self.advance()
            self.lookAfterHalfClosure()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let waiter = self.exchange?.waiter {
            self.exchange?.waiter = nil
            waiter.resume()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Ends the work for a response that is no longer wanted.
    private func leave() {
        _ = self.claim.takeWaiting()
        self.halfClosed?.timer?.cancel()
        if self.claim.isStalled { self.claim.caughtUp() }
        guard let exchange else { return }
        self.exchange = nil
        self.leaveTurn(exchange)
        exchange.task?.cancel()
        exchange.waiter?.resume(throwing: CancellationError())
        exchange.waiter = nil
        exchange.run = nil
        self.report(exchange, isAborted: true)
    }

    private func report(_ exchange: Exchange, isAborted: Bool) {
        guard let onEvent = self.service.onEvent, !exchange.isForPage else { return }
        onEvent(
            .requestFinished(
                exchange.record(
                    of: self.client,
                    at: self.eventLoop.now,
                    isAborted: isAborted
                )
            )
        )
    }

    // MARK: Time

    /// Starts the connection's only timer; requests do not restart it, but change `idleSince`,
    /// which the timer checks.
    private func startTimer(after time: TimeAmount) {
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let timeout = self.service.idleTimeout
            guard let idleSince = self.idleSince else { return self.startTimer(after: timeout) }
            let rest = idleSince + timeout - self.eventLoop.now
            if rest > .zero {
                self.startTimer(after: rest)
            } else {
                self.close()
            }
        }
    }

    /// Closes the sending half, and gives the client time to read its response.
    private func closeSlowly(_ context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.lingerBytesLeft = Self.lingerBytes
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerTime) {
            self.close()
        }
        context.close(mode: .output, promise: nil)
        self.releaseRead()
    }

    /// Drops input that is not a request; too much of it ends a lingering connection.
    private func drop(_ count: Int) {
        guard self.lingerBytesLeft > 0 else { return }
        self.lingerBytesLeft -= count
        if self.lingerBytesLeft <= 0 { self.close() }
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
