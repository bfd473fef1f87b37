// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

extension ConnectionHandler {
    /// Checks a request, and answers it at once if possible.
    func begin(_ request: RequestHead, _ exchange: Exchange) {
        switch self.admission(of: request) {
        case .answered(let answer):
            self.answer(answer, exchange)
        case .admitted(let target):
            exchange.target = target
            guard !request.isForScript else { return self.answer(.noScript, exchange) }
            guard self.claim.hasSlot || self.findSlot() else { return self.wait(request, exchange) }
            guard let source = self.service.router.source(for: target) else {
                return self.answer(.notFound, exchange)
            }
            exchange.source = source
            let request = self.narrowed(request, to: source, exchange)
            if request.isOnlyIfCached { return self.serveHeld(request, exchange, source) }
            if !self.serveResident(request, exchange, source) { self.pull(exchange) }
        case .refused(let target, let reason):
            exchange.target = target
            exchange.refusal = reason
            self.answer(.forbidden, exchange)
        case .readiness:
            exchange.target = "/readyz"
            self.answer(self.service.router.isReady ? .healthy : .notReady, exchange)
        case .page(let target):
            self.servePage(target, request, exchange)
        }
    }

    /// The request, with an open range that ends where the part of the source ends.
    ///
    /// A server may send less than the requested range (RFC 9110 §15.3.7).
    private func narrowed(
        _ request: RequestHead,
        to source: any ByteSource,
        _ exchange: Exchange
    ) -> RequestHead {
        guard case .one(.from(let start)) = request.range,
            let end = (source as? any PartedSource)?.partEnd(at: start)
        else { return request }
        var narrowed = request
        narrowed.rangeField = .one(.span(start..<end))
        exchange.narrow(to: narrowed)
        return narrowed
    }

    /// Decides about the admission of a request, and keeps the decision for later requests with the
    /// same address.
    private func admission(of request: RequestHead) -> AccessRules.Admission {
        if let last = self.lastAdmission, last.request.isAboutTheSame(as: request),
            last.revision == nil || last.revision == self.service.rules.passRevision
        {
            return last.admission
        }
        let admission = self.service.rules.admit(request.address)
        let mayHaveRight = request.target.hasByte(UInt8(ascii: "~"))
        let revision = mayHaveRight ? self.service.rules.passRevision : nil
        self.lastAdmission = (request, admission, revision)
        return admission
    }

    /// Answers a client that wants only held bytes.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - exchange: the response.
    ///   - source: the resource.
    ///   - isOpened: whether the bytes cached earlier have been opened.
    private func serveHeld(
        _ request: RequestHead,
        _ exchange: Exchange,
        _ source: any ByteSource,
        isOpened: Bool = false
    ) {
        if self.isHeld(request, source),
            self.serveResident(request, exchange, source, asksSource: false)
        {
            return
        }
        guard !isOpened else { return self.answer(.notHeld, exchange) }
        let bound = NIOLoopBound((self, exchange), eventLoop: self.eventLoop)
        let registry = self.service.registry
        registry.taskBegan()
        // Owned by the exchange, which cancels it; ends when the cached bytes have been opened.
        exchange.task = Task(executorPreference: EventLoopExecutor(self.eventLoop)) {
            await source.openHeld()
            let (connection, exchange) = bound.value
            if connection.exchange === exchange {
                connection.serveHeld(request, exchange, source, isOpened: true)
            }
            registry.taskEnded()
        }
    }

    /// Whether the whole answer is held.
    private func isHeld(_ request: RequestHead, _ source: any ByteSource) -> Bool {
        var asked = RequestedRange.whole
        if case .one(let range) = request.range { asked = range }
        guard let slice = source.residentSlice(asked) ?? source.residentSlice(.span(0..<1)) else {
            return false
        }
        return switch ResponsePlan(for: request, of: slice.resource).body {
        case .none: true
        case .bytes(let part): self.isHeld(part, of: source)
        case .untilEnd: false
        }
    }

    /// Whether all of a part is held.
    func isHeld(_ part: Range<Int64>, of source: any ByteSource) -> Bool {
        source.availability.held.firstMissing(in: part) == nil
    }

    /// Answers from resident bytes, with one look-up if the first wanted byte is held.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - exchange: the response.
    ///   - source: the resource.
    ///   - asksSource: whether the source may be asked if the resident bytes do not suffice.
    /// - Returns: false if the source must be asked.
    func serveResident(
        _ request: RequestHead,
        _ exchange: Exchange,
        _ source: any ByteSource,
        asksSource: Bool = true
    ) -> Bool {
        var asked = RequestedRange.whole
        if case .one(let range) = request.range { asked = range }
        guard let slice = source.residentSlice(asked) else {
            // The description alone suffices if a condition fails.
            guard let first = source.residentSlice(.span(0..<1)) else { return false }
            let plan = ResponsePlan(for: request, of: first.resource)
            // By now the resource may have more bytes past the held end; only the source can tell.
            guard plan.body == .none, plan.status != 416 || !asksSource else { return false }
            self.sendHead(plan, of: first.resource, request, exchange)
            return true
        }
        let plan = ResponsePlan(for: request, of: slice.resource)
        switch plan.body {
        case .none:
            self.sendHead(plan, of: slice.resource, request, exchange)
            return true
        case .untilEnd:
            return false
        case .bytes(let part):
            exchange.body = part
            if slice.range.upperBound >= part.upperBound {
                exchange.content = .held
            } else {
                exchange.noteHeld(part, source.availability.held)
            }
            if slice.range.contains(part.lowerBound) {
                guard self.mayBegin(part, request, exchange) else { return true }
                return self.send(slice, part, plan, request, exchange)
            }
            // The range does not apply: its If-Range names another generation.
            guard let other = source.residentSlice(.span(part)),
                other.resource == slice.resource, other.range.contains(part.lowerBound)
            else { return false }
            guard self.mayBegin(part, request, exchange) else { return true }
            return self.send(other, part, plan, request, exchange)
        }
    }

    /// Whether a body may be sent now; if not, the request begins again when the client's turn
    /// comes.
    private func mayBegin(
        _ part: Range<Int64>,
        _ request: RequestHead,
        _ exchange: Exchange
    ) -> Bool {
        exchange.allowance > 0
            || self.takeTurn(exchange, wanting: part.upperBound - part.lowerBound) {
                self.begin(request, exchange)
            }
    }

    /// Sends a body whose start is resident.
    ///
    /// - Returns: false if the file cannot be read after all; nothing has been written then.
    private func send(
        _ slice: ResidentSlice,
        _ part: Range<Int64>,
        _ plan: ResponsePlan,
        _ request: RequestHead,
        _ exchange: Exchange
    ) -> Bool {
        let slice = slice.range == part ? slice : slice.clamped(to: part)
        if self.context?.channel.isActive == true, let socket = self.sender.socket {
            return self.send(slice, part, plan, request, over: socket, exchange)
        }
        let count = part.upperBound - part.lowerBound
        let isSingleWrite = count <= ResidentPiece.copySize && slice.range == part
        let head = self.head(plan, of: slice.resource, request, exchange.source)
        let capacity = head.encodedSizeLimit + (isSingleWrite ? Int(count) : 0)
        return self.sender.loopState.withBuffer(capacity: capacity) { buffer in
            head.write(into: &buffer)
            if isSingleWrite {
                guard buffer.append(slice) else { return false }
                exchange.note(head)
                exchange.isWritten = true
                self.write(.byteBuffer(buffer), bodyBytes: count, exchange)
                return true
            }
            guard let piece = ResidentPiece(slice, upTo: HeldSender.pieceSize(exchange)) else {
                return false
            }
            exchange.note(head)
            exchange.begin(slice, from: part.lowerBound, to: part.upperBound)
            self.context?.write(self.wrapOutboundOut(.byteBuffer(buffer)), promise: nil)
            self.perform(self.sender.step(for: piece, exchange), exchange)
            return true
        }
    }

    /// Sends the head and the first bytes of a slice through the socket.
    ///
    /// The channel sends the bytes that the system does not take at once, and all later ones.
    ///
    /// - Returns: false if the bytes cannot be read; nothing has been written then.
    private func send(
        _ slice: ResidentSlice,
        _ part: Range<Int64>,
        _ plan: ResponsePlan,
        _ request: RequestHead,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Bool {
        let capacity = ResponseHead.usualSize + Int(ResidentPiece.copySize)
        let step = self.sender.loopState.withBuffer(capacity: capacity) { buffer in
            self.writeHead(plan, part, of: slice.resource, request, exchange, into: &buffer)
            return self.sender.begin(
                slice,
                upTo: part.upperBound,
                behindHeadIn: &buffer,
                over: socket,
                exchange
            )
        }
        guard let step else { return false }
        exchange.note(plan, closing: self.isLastResponse)
        self.perform(step, exchange)
        // `pump` does nothing for a response that has ended, or waits for the channel.
        if !exchange.isWritten { self.pump(exchange) }
        return true
    }

    /// Answers with a sentence.
    func answer(_ answer: PlainAnswer, _ exchange: Exchange) {
        if answer == .healthy, exchange.target == nil { exchange.target = "/healthz" }
        var request: RequestHead?
        if case .head(let head) = exchange.request { request = head }
        var head = ResponseHead(
            answer,
            isHTTP10: request?.isHTTP10 ?? false,
            closing: self.isLastResponse
        )
        head.date = self.service.timeOfDay()
        if let request { head.crossOrigin = self.crossOrigin(for: request) }
        let sentence = request?.method == .head ? nil : answer.sentence
        exchange.note(head)
        exchange.isWritten = true
        self.sender.loopState.withBuffer(capacity: head.encodedSizeLimit) { buffer in
            head.write(into: &buffer)
            if let sentence {
                buffer.writeString(sentence)
                buffer.writeStaticString("\n")
            }
            self.write(
                .byteBuffer(buffer),
                bodyBytes: sentence.map { Int64($0.utf8.count + 1) } ?? 0,
                exchange
            )
        }
    }

    /// Writes the head of a resource; the response ends with it if the plan has no body.
    func sendHead(
        _ plan: ResponsePlan,
        of description: ResourceDescription,
        _ request: RequestHead,
        _ exchange: Exchange
    ) {
        let head = self.head(plan, of: description, request, exchange.source)
        exchange.note(head)
        exchange.description = description
        exchange.isWritten = plan.body == .none
        self.sender.loopState.withBuffer(capacity: head.encodedSizeLimit) { buffer in
            head.write(into: &buffer)
            self.write(.byteBuffer(buffer), bodyBytes: 0, exchange)
        }
    }

    private func head(
        _ plan: ResponsePlan,
        of description: ResourceDescription,
        _ request: RequestHead,
        _ source: (any ByteSource)?
    ) -> ResponseHead {
        var head = ResponseHead(
            plan,
            of: description,
            to: request,
            closing: self.isLastResponse
        )
        head.crossOrigin = self.crossOrigin(for: request)
        head.date = self.service.timeOfDay()
        head.age = Self.age(of: source)
        return head
    }

    /// Writes the head of an answer with a body of known length.
    ///
    /// The head of a part reuses the bytes of the last part's head, if both are for one resource
    /// and differ only in numbers.
    func writeHead(
        _ plan: ResponsePlan,
        _ part: Range<Int64>,
        of description: ResourceDescription,
        _ request: RequestHead,
        _ exchange: Exchange,
        into buffer: inout ByteBuffer
    ) {
        let isUsual =
            plan.status == 206 && !request.isHTTP10 && !self.isLastResponse
            && !self.service.rules.variesByOrigin
        guard isUsual else {
            self.head(plan, of: description, request, exchange.source).write(into: &buffer)
            return
        }
        if let partHead {
            let date = self.service.timeOfDay()
            if let age = partHead.lastAge(of: description, at: date) {
                return partHead.write(part, date: date, age: age, into: &buffer)
            }
            let age = Self.age(of: exchange.source)
            if partHead.fits(description, tellingAge: age != nil) {
                return partHead.write(part, date: date, age: age ?? 0, into: &buffer)
            }
        }
        let head = self.head(plan, of: description, request, exchange.source)
        head.write(into: &buffer)
        self.partHead = PartHead(head, of: description)
    }

    /// How many seconds ago the origin confirmed the bytes of a source.
    private static func age(of source: (any ByteSource)?) -> Int64? {
        source?.timeSinceConfirmation.map { max(0, $0.components.seconds) }
    }

    private func crossOrigin(for request: RequestHead) -> ResponseHead.CrossOrigin? {
        let rules = self.service.rules
        guard rules.variesByOrigin else { return nil }
        return ResponseHead.CrossOrigin(
            granted: rules.grantedOrigin(for: request),
            isPreflight: request.method == .options && request.isPreflight,
            isFromPublicNetwork: request.isFromPublicNetwork
        )
    }
}
