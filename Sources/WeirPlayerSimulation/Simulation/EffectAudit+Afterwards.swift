// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation

extension EffectAudit {
    /// Everything that the server wanted has been done.
    mutating func settled(held: Int) {
        let most = self.limits.head + self.lives.count * self.limits.largestPiece
        if held > most { self.violate(.memory, "\(held) of \(most) bytes are held") }
        let pending = Int64(self.lives.count * self.limits.largestPiece)
        let lost = Int64((self.gone + 1) * self.limits.largestPiece)
        if self.arrivedBeyondHead > self.givenBeyondHead + pending + lost {
            self.violate(
                .readsInMeasure,
                "\(self.arrivedBeyondHead) bytes came for \(self.givenBeyondHead) that were wanted"
            )
        }
        if self.readings.count > self.lives.count + 1 {
            self.violate(.dropsReadings, "\(self.readings.count) for \(self.lives.count) requests")
        }
        for reading in self.readings where !self.isNeeded(reading) {
            self.violate(.dropsReadings, "one at \(reading.position) is open for nobody")
        }
        if self.isAbandoned, !self.readings.isEmpty || !self.lives.isEmpty {
            self.violate(.leavesNothing, "readings or requests remain")
        }
    }

    /// Nothing is under way any more.
    mutating func rested() {
        if !self.readings.isEmpty, self.lives.isEmpty {
            self.violate(.dropsReadings, "readings remain when everything rests")
        }
    }

    func isNeeded(_ reading: Reading) -> Bool {
        let isHead = reading.start == 0 && reading.position <= Int64(self.limits.head)
        return isHead
            || self.lives.contains { $0.bytes != nil && $0.position <= reading.position }
    }

    /// An older request to the end does not get bytes before a newer one has a lead.
    mutating func judgeOrder(of reading: Reading) {
        let isHead = reading.start == 0 && reading.position < Int64(self.limits.head)
        guard !isHead else { return }
        var leader: RequestID?
        var hasNewest = false
        var others = false
        var held: RequestID?
        for live in self.lives.reversed() {
            let needs = live.needs(reading.position, within: self.limits.largestPiece)
            if needs, leader == nil || live.bytes?.toTheEnd != true { others = true }
            if needs, leader != nil { held = live.id }
            if live.bytes?.toTheEnd == true, live.isInformed, !hasNewest {
                hasNewest = true
                if !live.mayBeSated, live.given < self.limits.lead { leader = live.id }
            }
        }
        guard let leader, let held, !others else { return }
        self.violate(.newestFirst, "request \(held.rawValue) goes on before \(leader.rawValue)")
    }

    mutating func mustNotHaveChanged(_ what: String) {
        if self.hasChanged { self.violate(.nothingAfterChange, "there was \(what)") }
    }

    mutating func mustNotBeAbandoned(_ what: String) {
        if self.isAbandoned { self.violate(.leavesNothing, "a \(what) was begun") }
    }
}
