// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

extension EffectAudit {
    /// The server wants something done.
    mutating func wants(_ effect: LoadingRequestServer.Effect) {
        switch effect {
        case .read(let id, let demand): self.read(id, demand)
        case .pull(let id, let count): self.pull(id, count)
        case .drop(let id): self.close(id)
        case .fill(let id, _):
            self.mustNotHaveChanged("information")
            if let index = self.index(of: id) { self.lives[index].isInformed = true }
        case .respond(let id, let bytes): self.respond(id, bytes.count)
        case .finish(let id):
            self.mustNotHaveChanged("a finish")
            self.lives.removeAll { $0.id == id }
        case .fail(let id, _): self.lives.removeAll { $0.id == id }
        case .wait(let id, let duration):
            self.mustNotBeAbandoned("wait")
            self.waits[id] = duration
        case .tell(.loadedWhole):
            if self.hasToldWhole { self.violate(.toldOnce, "loaded whole, again") }
            self.hasToldWhole = true
        case .tell: break
        }
    }

    mutating func read(_ id: ReadID, _ demand: ReadDemand) {
        self.mustNotBeAbandoned("reading")
        if self.isDescribed, demand.pin == nil { self.violate(.pinned, "read \(demand.range)") }
        let start = demand.range.knownLowerBound ?? -1
        let isForHead = start == 0 && self.headCount == 0
        let isMissing = self.lives.contains { live in
            live.needs(start, within: self.limits.largestPiece)
                && (live.position == start || self.stops.contains(start))
        }
        if !isForHead, !isMissing || start < self.headCount {
            self.violate(.readsWhatIsMissing, "read \(demand.range)")
        }
        self.readings.append(Reading(id: id, start: start, position: start))
    }

    mutating func pull(_ id: ReadID, _ count: Int) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else {
            return self.violate(.pullSize, "pulled \(id.rawValue), which is not open")
        }
        if count < 1 || count > max(self.limits.largestPiece, self.limits.head) {
            self.violate(.pullSize, "pulled \(count) bytes")
        }
        if self.readings[index].isPulled {
            self.violate(.pullSize, "pulled \(id.rawValue) before it answered")
        }
        self.readings[index].isPulled = true
        self.judgeOrder(of: self.readings[index])
    }

    mutating func respond(_ id: RequestID, _ count: Int) {
        self.mustNotHaveChanged("bytes")
        guard let index = self.index(of: id) else { return }
        let live = self.lives[index]
        let end = live.position + Int64(count)
        let isLast = self.medium.versions.contains {
            live.bytes?.limit(inLength: $0.length) == end
        }
        let isOfHead = live.position < max(self.headCount, 1)
        if count < self.limits.smallestPiece, live.given > 0, !isLast, !isOfHead,
            self.event != .flush
        {
            self.violate(.noCrumbs, "\(count) bytes at \(live.position) of request \(id.rawValue)")
        }
        if live.position >= self.headCount { self.givenBeyondHead += Int64(count) }
        self.lives[index].position = end
        self.lives[index].given += Int64(count)
        self.lives[index].outstanding += Int64(count)
        let piece = Int64(self.limits.largestPiece)
        let beyond = min(self.patienceSpent * piece, self.limits.ceiling + piece)
        let bound = self.limits.window + beyond
        if self.lives[index].outstanding > bound {
            self.violate(
                .window,
                "request \(id.rawValue) holds \(self.lives[index].outstanding) of \(bound) bytes"
            )
        }
        let all = self.lives.reduce(0) { $0 + $1.outstanding }
        let most = self.limits.ceiling + piece + Int64(self.lives.count) * self.limits.window
        if all > most { self.violate(.window, "all requests hold \(all) of \(most) bytes") }
    }
}
