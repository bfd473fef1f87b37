// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAVFoundation
package import WeirSource

/// A player that makes a script's requests to a loader, and judges the answers.
///
/// Events go in (past tense), and actions come out. The harness performs the actions in this order,
/// at once or later, and reports each with ``performed(_:)``. The player has no clock and no
/// loader. So the same player tests the pure machine in a simulation, and a real loader over a real
/// cache.
///
/// ``performed(_:)`` also reports a cancellation. Answers between the player's wish to cancel and
/// that report are legitimate.
package struct SimulatedPlayer: Sendable {
    /// The player's requests.
    package let script: PlayerScript
    /// The true media of its assets.
    package let media: [SimulatedMedium]
    /// When it releases its bytes.
    package let releases: ReleasePolicy
    /// How many requests the loader must be able to answer at the same time.
    package let mostRequests: Int
    /// The largest piece that it accepts.
    package let largestPiece: Int
    /// The broken rules, in the order in which they occurred.
    package internal(set) var violations: [Violation] = []

    var asks: [Ask] = []
    var assets: [Asset]
    private var nextStep = 0
    private var isLeaving = false

    /// The facts about an asset.
    struct Asset: Sendable {
        /// The versions that agree with all answers so far.
        var versions: Set<Int>
        var troubles: Set<Failure> = []
        var isAbandoned = false
        var isLeft = false
    }

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - script: the requests; scaled to the length of the media.
    ///   - media: one for each asset of the script.
    ///   - releases: when it releases bytes.
    ///   - mostRequests: how many requests the loader answers at the same time.
    ///   - largestPiece: the largest piece that the loader may send.
    package init(
        _ script: PlayerScript,
        media: [SimulatedMedium],
        releases: ReleasePolicy = .atOnce,
        mostRequests: Int = 16,
        largestPiece: Int = 512 << 10
    ) {
        precondition(media.count >= script.assets, "an asset has no medium")
        self.script = script
        self.media = media
        self.releases = releases
        self.mostRequests = mostRequests
        self.largestPiece = largestPiece
        self.assets = media.map { Asset(versions: Set($0.versions.indices)) }
    }

    /// Whether it has done every step, and left its assets.
    package var isDone: Bool { self.isLeaving && self.assets.allSatisfy(\.isLeft) }

    /// How many bytes each request has received, in the order of the requests.
    package var received: [Int64] { self.asks.map(\.received) }

    /// The requests, in the order in which they were made.
    package var requests: [LoadingRequestServer.Request] { self.asks.map(\.request) }

    // MARK: Events

    /// The user pressed play.
    package mutating func started() -> [Action] { self.advance() }

    /// The harness is about to perform an action.
    package mutating func performed(_ action: Action) {
        switch action {
        case .request(let request, _): self.change(request.id) { $0.isMade = true }
        case .cancel(let id, _): self.change(id) { $0.isCancelled = true }
        case .release: break
        case .abandon(let asset): self.assets[asset].isAbandoned = true
        }
    }

    /// The source of an asset has a trouble from now on: requests for the asset may fail.
    package mutating func troubled(_ trouble: Failure, asset: Int) {
        self.assets[asset].troubles.insert(trouble)
    }

    /// The loader sent information about the resource.
    package mutating func informed(
        _ id: LoadingRequestServer.RequestID,
        _ information: ContentInformation
    ) -> [Action] {
        guard let ask = self.judged(id, "information") else { return [] }
        self.judge(information, for: ask)
        self.change(id) { $0.information = information }
        return []
    }

    /// The loader sent bytes.
    package mutating func received(_ id: LoadingRequestServer.RequestID, _ bytes: ByteMemory)
        -> [Action]
    {
        guard let ask = self.judged(id, "\(bytes.count) bytes") else { return [] }
        self.judge(bytes, for: ask)
        self.change(id) { $0.received += Int64(bytes.count) }
        return self.keep(bytes.count, for: id) + self.look(at: id) + self.advance()
    }

    /// The loader finished a request.
    package mutating func finished(_ id: LoadingRequestServer.RequestID) -> [Action] {
        guard let ask = self.judged(id, "a finish") else { return [] }
        self.judgeFinish(of: ask)
        return self.ended(id)
    }

    /// The loader failed a request.
    package mutating func failed(_ id: LoadingRequestServer.RequestID, _ failure: LoadingFailure)
        -> [Action]
    {
        guard let ask = self.judged(id, "a failure") else { return [] }
        self.judge(failure, of: ask)
        return self.ended(id)
    }

    /// Nothing is in progress any more, and nothing will happen without an action of the player.
    ///
    /// - Returns: the player's actions; empty when the player is done.
    package mutating func rested() -> [Action] {
        // A paused player releases its kept bytes, and the bytes that it receives in their place.
        let kept = self.letGo()
        if !kept.isEmpty { return kept }
        for ask in self.asks where ask.isLive && !self.assets[ask.step.asset].isAbandoned {
            self.violate(.ends, ask, "is waiting, and nothing is in progress")
            self.change(ask.request.id) { $0.hasEnded = true }
        }
        let actions = self.advance()
        return actions.isEmpty ? self.leave() : actions
    }

    /// The player leaves: it forgets every asset, whatever is live.
    package mutating func leave() -> [Action] {
        self.isLeaving = true
        return self.assets.indices.flatMap { self.forget($0) }
    }

    // MARK: Steps

    private mutating func ended(_ id: LoadingRequestServer.RequestID) -> [Action] {
        var actions: [Action] = []
        self.change(id) { $0.hasEnded = true }
        if let ask = self.ask(id) {
            for piece in ask.pieces { actions.append(.release(id, piece, asset: ask.step.asset)) }
            self.change(id) { $0.pieces = [] }
        }
        return actions + self.look(at: id) + self.advance()
    }

    /// Checks whether the player is done with a request; cancels the request if the script says so.
    private mutating func look(at id: LoadingRequestServer.RequestID) -> [Action] {
        guard let ask = self.ask(id), !ask.isPassed else { return [] }
        switch ask.step.ending {
        case .awaited:
            self.change(id) { $0.isPassed = ask.hasEnded }
        case .forgotten(let count):
            self.change(id) { $0.isPassed = ask.hasEnded || ask.received >= count }
        case .cancelled(let count):
            guard ask.hasEnded || ask.received >= count else { return [] }
            self.change(id) { ask in
                ask.isPassed = true
                ask.isUnwanted = !ask.hasEnded
            }
            if !ask.hasEnded { return [.cancel(id, asset: ask.step.asset)] }
        }
        return []
    }

    /// Makes the next requests, if it is time to.
    private mutating func advance() -> [Action] {
        var actions: [Action] = []
        while !self.isLeaving, self.nextStep < self.script.steps.count, self.isTime() {
            let step = self.script.steps[self.nextStep]
            self.nextStep += 1
            let request = self.request(of: step)
            self.asks.append(Ask(request, step))
            actions.append(.request(request, asset: step.asset))
            actions += self.look(at: request.id)
            if let other = step.leaves { actions += self.forget(other) }
        }
        let isThrough = self.nextStep == self.script.steps.count
        if isThrough, !self.isLeaving, self.asks.allSatisfy(\.isPassed), self.isTooLarge {
            actions += self.leave()
        }
        return actions
    }

    /// Whether forgotten requests are too large to be waited for.
    private var isTooLarge: Bool { self.media.contains { $0.length > 1 << 28 } }

    private func isTime() -> Bool {
        guard let last = self.asks.last else { return true }
        if last.isPassed { return true }
        return self.script.steps[self.nextStep].overlap.map { last.received >= $0 } ?? false
    }

    private func request(of step: PlayerScript.Step) -> LoadingRequestServer.Request {
        let length = self.media[step.asset].length
        return LoadingRequestServer.Request(
            id: LoadingRequestServer.RequestID(self.asks.count),
            wantsInformation: step.wantsInformation,
            allowedTypes: step.allowedTypes,
            bytes: step.count(inLength: length).map { count in
                LoadingRequestServer.Request.Bytes(
                    offset: step.offset(inLength: length),
                    length: count,
                    toTheEnd: step.toTheEnd
                )
            }
        )
    }

    /// Releases every kept piece of the live requests.
    private mutating func letGo() -> [Action] {
        var actions: [Action] = []
        for index in self.asks.indices where self.asks[index].isLive {
            let ask = self.asks[index]
            for piece in ask.pieces {
                actions.append(.release(ask.request.id, piece, asset: ask.step.asset))
            }
            self.asks[index].pieces = []
        }
        return actions
    }

    private mutating func forget(_ asset: Int) -> [Action] {
        guard !self.assets[asset].isLeft else { return [] }
        self.assets[asset].isLeft = true
        return [.abandon(asset: asset)]
    }

    /// Keeps a piece, and releases others.
    private mutating func keep(_ count: Int, for id: LoadingRequestServer.RequestID) -> [Action] {
        guard let ask = self.ask(id) else { return [] }
        let asset = ask.step.asset
        switch self.releases {
        case .atOnce: return [.release(id, count, asset: asset)]
        case .lagging(let pieces):
            self.change(id) { $0.pieces.append(count) }
            guard ask.pieces.count >= pieces, let first = ask.pieces.first else { return [] }
            self.change(id) { $0.pieces.removeFirst() }
            return [.release(id, first, asset: asset)]
        case .never:
            self.change(id) { $0.pieces.append(count) }
            return []
        }
    }

    // MARK: The list

    func ask(_ id: LoadingRequestServer.RequestID) -> Ask? {
        self.asks.indices.contains(id.rawValue) ? self.asks[id.rawValue] : nil
    }

    mutating func change(_ id: LoadingRequestServer.RequestID, _ body: (inout Ask) -> Void) {
        guard self.asks.indices.contains(id.rawValue) else { return }
        body(&self.asks[id.rawValue])
    }
}

extension SimulatedPlayer {
    /// An action of a player on the loader of one of its assets.
    package enum Action: Hashable, Sendable {
        /// Make a request.
        case request(LoadingRequestServer.Request, asset: Int)
        /// Cancel a request.
        case cancel(LoadingRequestServer.RequestID, asset: Int)
        /// Release this many received bytes of a request.
        case release(LoadingRequestServer.RequestID, Int, asset: Int)
        /// Forget an asset: the player makes no more requests of it.
        case abandon(asset: Int)

        /// The asset of the action.
        package var asset: Int {
            switch self {
            case .request(_, let asset), .cancel(_, let asset), .release(_, _, let asset),
                .abandon(let asset):
                asset
            }
        }
    }

    /// A trouble of a source, which is a reason for a request to fail.
    package enum Failure: Hashable, Sendable {
        /// It fails to open or to deliver bytes.
        case fails
        /// It has another version.
        case changed
        /// It ends before the length that it announced.
        case endsEarly
    }

    /// A request that the player is about to make, or has made.
    struct Ask: Sendable {
        let request: LoadingRequestServer.Request
        let step: PlayerScript.Step
        /// Whether the loader has it.
        var isMade = false
        /// Whether the player wants to cancel it.
        var isUnwanted = false
        /// Whether the loader knows of the cancellation.
        var isCancelled = false
        var hasEnded = false
        var information: ContentInformation?
        /// How many bytes it has received.
        var received: Int64 = 0
        /// The pieces that the player holds.
        var pieces: [Int] = []
        /// Whether the player is done with the request, and continues with its next step.
        var isPassed = false

        init(_ request: LoadingRequestServer.Request, _ step: PlayerScript.Step) {
            self.request = request
            self.step = step
        }

        /// The next byte that it lacks.
        var position: Int64 { (self.request.bytes?.offset ?? 0) + self.received }

        /// Whether the loader owes an answer.
        var isLive: Bool { self.isMade && !self.isCancelled && !self.hasEnded }
    }
}

extension LoadingRequestServer.Request.Bytes {
    /// The end of the bytes that the request can get, in a resource of a given length.
    func limit(inLength length: Int64) -> Int64 {
        let (end, overflow) = self.offset.addingReportingOverflow(self.length)
        return self.toTheEnd || overflow ? length : min(end, length)
    }
}

/// When a player releases its received pieces.
package enum ReleasePolicy: Hashable, Sendable {
    /// As soon as it has received them.
    case atOnce
    /// When this many newer pieces have arrived.
    case lagging(pieces: Int)
    /// When the request has ended.
    case never
}
