// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

extension ConnectionHandler {
    /// Lets the page service answer a request for a page.
    ///
    /// The request needs no slot: a user must reach the page even while players have all slots.
    ///
    /// - Parameters:
    ///   - target: the request's target, without `/page` at its start.
    ///   - request: the request.
    ///   - exchange: the response.
    func servePage(_ target: String, _ request: RequestHead, _ exchange: Exchange) {
        exchange.isForPage = true
        // A load balancer on another machine could name any client; a balancer on this machine is
        // trusted.
        let peer = ClientAddress(self.context?.channel.remoteAddress)
        let isFromThisMachine = self.client.isLoopback && peer.isLoopback
        guard let service = self.service.pages else { return self.answer(.notFound, exchange) }
        guard let page = PageRequest(request, target, isFromThisMachine: isFromThisMachine)
        else {
            return self.answer(.methodNotAllowed, exchange)
        }
        let bound = NIOLoopBound((self, exchange), eventLoop: self.eventLoop)
        let registry = self.service.registry
        registry.taskBegan()
        // Owned by the exchange, which cancels it; ends with the answer, or when the client leaves.
        exchange.task = Task(executorPreference: EventLoopExecutor(self.eventLoop)) {
            let answer = await service.answer(page)
            let (connection, exchange) = bound.value
            do {
                try await connection.send(answer, to: page, exchange)
            } catch {
                connection.failed(error, exchange)
            }
            registry.taskEnded()
        }
    }

    private func send(
        _ answer: PageAnswer,
        to page: PageRequest,
        _ exchange: Exchange
    ) async throws {
        guard self.exchange === exchange, case .head(let request) = exchange.request else { return }
        let length: Int64?
        switch answer.body {
        case .bytes(let memory): length = Int64(memory.count)
        case .reading(let reading):
            length = reading.upperBound.map { $0 - reading.lowerBound }
        }
        exchange.status = answer.status
        exchange.framing = length != nil ? .counted : request.isHTTP10 ? .untilClose : .chunked
        exchange.closes = self.isLastResponse || exchange.framing == .untilClose
        exchange.isWritten = page.method == .head || length == 0
        var head = ByteBuffer()
        PageHead.write(answer, length, exchange, isHTTP10: request.isHTTP10, into: &head)
        self.write(.byteBuffer(head), bodyBytes: 0, exchange)
        guard !exchange.isWritten else { return }
        switch answer.body {
        case .bytes(let memory):
            try await self.deliver(ByteChunk(at: 0, memory: memory), exchange)
        case .reading(let reading):
            // With a slot, the connection of a reading is closed no sooner than a player's.
            if !self.claim.hasSlot { _ = self.findSlot() }
            for try await chunk in reading { try await self.deliver(chunk, exchange) }
        }
        self.delivered(exchange)
    }
}

extension PageRequest {
    /// Reads the values for a page service from a request; `nil` for another method.
    init?(_ request: RequestHead, _ target: String, isFromThisMachine: Bool) {
        switch request.method {
        case .get: self.method = .get
        case .head: self.method = .head
        case .other("POST"): self.method = .post
        case .options, .other: return nil
        }
        let mark = target.firstIndex(of: "?")
        self.path = String(target[..<(mark ?? target.endIndex)])
        self.query = mark.map { String(target[target.index(after: $0)...]) }
        self.authorization = request.authorization
        self.isFromAnotherSite = request.isFromAnotherSite
        self.isFromThisMachine = isFromThisMachine
    }
}

extension RequestHead {
    /// Whether a browser says that a page of another site has sent the request.
    ///
    /// A browser says so in `Sec-Fetch-Site`, an older one in `Origin`; other programs send
    /// neither.
    fileprivate var isFromAnotherSite: Bool {
        if let site = self.fetchSite { return site != "same-origin" && site != "none" }
        guard let origin = self.origin else { return false }
        guard case .one(let host) = self.host else { return true }
        return origin.lowercased() != "http://\(host.lowercased())"
    }
}

/// The head of an answer of the page service.
private enum PageHead {
    static func write(
        _ answer: PageAnswer,
        _ length: Int64?,
        _ exchange: Exchange,
        isHTTP10: Bool,
        into buffer: inout ByteBuffer
    ) {
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: ResponseHead.usualSize) { space in
            var writer = HeadWriter(into: space)
            ResponseHead.writeStatusLine(answer.status, into: &writer)
            return writer.count
        }
        for (name, value) in answer.fields { buffer.writeString("\(name): \(value)\r\n") }
        if let length {
            buffer.writeString("Content-Length: \(length)\r\n")
        } else if exchange.framing == .chunked {
            buffer.writeString("Transfer-Encoding: chunked\r\n")
        }
        if exchange.closes {
            buffer.writeString("Connection: close\r\n")
        } else if isHTTP10 {
            buffer.writeString("Connection: keep-alive\r\n")
        }
        buffer.writeString("X-Content-Type-Options: nosniff\r\n\r\n")
    }
}
