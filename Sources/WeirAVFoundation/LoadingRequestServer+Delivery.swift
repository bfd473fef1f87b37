// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension LoadingRequestServer {
    /// Delivers the gathered bytes of a request, if it is time to, and ends the request after its last byte.
    ///
    /// - Parameters:
    ///   - id: the request.
    ///   - isFinal: whether to deliver the bytes even if they are few.
    mutating func handOver(_ id: RequestID, isFinal: Bool = false) {
        guard let live = self.live(id), live.isInformed else { return }
        if live.gatheredCount > 0 {
            if isFinal || live.given == 0 || live.gatheredCount >= self.limits.smallestPiece
                || live.remaining == 0
            {
                self.respond(id, with: ByteMemory(joining: live.gathered))
                self.change(id) { live in
                    live.gathered = []
                    live.gatheredCount = 0
                    live.gathering = nil
                }
            } else if live.gathering == nil {
                let wait = self.wait(self.limits.gathering)
                self.change(id) { $0.gathering = wait }
            }
        }
        self.finishIfComplete(id)
    }

    /// Delivers the next bytes of a request, as far as the stored first bytes of the resource contain them.
    mutating func handOverHead(_ id: RequestID, isOvertaken: Bool) {
        // A request with a reading of its own gets all bytes from the reading; otherwise it would get these bytes
        // twice.
        while let live = self.live(id), live.isInformed, live.gatheredCount == 0, live.read == nil {
            let room = self.room(of: live, isOvertaken: isOvertaken)
            guard room > 0, let bytes = self.head.bytes(from: live.position, atMost: room) else {
                return
            }
            self.respond(id, with: bytes)
            self.finishIfComplete(id)
        }
    }

    private mutating func respond(_ id: RequestID, with bytes: ByteMemory) {
        guard let live = self.live(id) else { return }
        let end = live.position + Int64(bytes.count)
        self.given.insert(contentsOf: live.position..<end)
        self.change(id) { live in
            live.position = end
            live.outstanding += Int64(bytes.count)
        }
        self.effects.append(.respond(id, bytes))
        if let length = self.description?.length, self.given.firstMissing(in: 0..<length) == nil {
            self.tellWhole()
        }
    }

    mutating func tellWhole() {
        guard !self.hasToldWhole else { return }
        self.hasToldWhole = true
        self.effects.append(.tell(.loadedWhole))
    }

    // MARK: Ends

    private mutating func finishIfComplete(_ id: RequestID) {
        guard let live = self.live(id), live.isInformed, live.gatheredCount == 0 else { return }
        if live.request.bytes != nil {
            guard let end = live.end, live.position >= end else { return }
        }
        self.remove(id)
        self.effects.append(.finish(id))
    }

    /// Ends a request that starts past the end of the resource.
    mutating func finishAtTheEnd(_ id: RequestID) {
        guard let live = self.live(id) else { return }
        guard live.isInformed, live.given == 0 else {
            return self.fail(
                id,
                .endedEarly(position: live.position, end: live.end ?? live.position)
            )
        }
        self.remove(id)
        self.effects.append(.finish(id))
    }

    /// A reading has failed: the requests that need its bytes fail, too.
    mutating func lost(_ read: Read, _ failure: LoadingFailure) {
        if let id = read.request {
            self.change(id) { $0.read = nil }
            self.handOver(id, isFinal: true)
            self.fail(id, failure)
        } else {
            for live in self.requests where live.read == nil {
                let waits = live.needsHeadAlone || live.missing == read.position
                if waits { self.fail(live.id, failure) }
            }
            if self.head.count == 0 { self.head = Head() }
        }
        self.tell(failure)
    }

    mutating func fail(_ id: RequestID, _ failure: LoadingFailure) {
        guard self.live(id) != nil else { return }
        self.remove(id)
        self.effects.append(.fail(id, failure))
    }

    /// Fails all requests, and answers no further ones.
    mutating func close(_ failure: LoadingFailure) {
        guard self.closing == nil else { return }
        self.closing = failure
        for live in self.requests { self.effects.append(.fail(live.id, failure)) }
        for read in self.reads { self.effects.append(.drop(read.id)) }
        self.requests = []
        self.reads = []
        self.head = Head()
        self.tell(failure)
    }

    private mutating func tell(_ failure: LoadingFailure) {
        switch failure {
        case .source(let error) where error.code == .changed:
            self.effects.append(.tell(.sourceChanged))
        case .source(let error):
            self.effects.append(.tell(.failed(error)))
        case .endedEarly:
            self.effects.append(
                .tell(.failed(SourceError(.truncated, failure.bridged.message)))
            )
        case .typeNotAllowed, .cancelled:
            break
        }
    }

    // MARK: The list

    mutating func learn(length: Int64) {
        guard self.description?.length == nil else { return }
        self.description?.length = length
        if self.given.firstMissing(in: 0..<length) == nil { self.tellWhole() }
    }

    mutating func remove(_ id: RequestID) {
        self.dropRead(of: id)
        self.requests.removeAll { $0.id == id }
    }

    func live(_ id: RequestID) -> Live? {
        self.requests.first { $0.id == id }
    }

    mutating func change(_ id: RequestID, _ body: (inout Live) -> Void) {
        guard let index = self.requests.firstIndex(where: { $0.id == id }) else { return }
        body(&self.requests[index])
    }
}

extension ByteMemory {
    /// Joins pieces: a copy, unless there is only one piece.
    fileprivate init(joining pieces: [ByteMemory]) {
        if pieces.count == 1, let piece = pieces.first {
            self = piece
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { piece.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        self.init(bytes)
    }
}
