// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the connections of a station change.
extension RadioServer.State {
    mutating func answer(_ request: ServerRequest, now: Double)
        -> (number: Int, answer: RadioAnswer)
    {
        let answer = self.machine.answer(request, now: now)
        self.feeds.append(answer.sending?.feed)
        self.record.append(
            RecordedConnection(
                number: self.record.count,
                method: request.method,
                target: request.target,
                headers: request.fields,
                time: now,
                status: answer.status,
                behaviour: answer.behaviour,
                audioStart: answer.sending?.feed.start ?? 0
            )
        )
        return (self.cleared + self.record.count - 1, answer)
    }

    mutating func sent(_ number: Int, count: Int, audioCount: Int) {
        let index = number - self.cleared
        guard self.record.indices.contains(index) else { return }
        self.record[index].bytesSent += Int64(count)
        self.record[index].audioBytesSent += Int64(audioCount)
        if audioCount > 0 {
            let garbage = self.record[index].behaviour?.garbage ?? 0
            let sound = max(0, self.record[index].audioBytesSent - garbage)
            self.machine.followed = self.record[index].audioStart + sound
        }
    }

    /// - Returns: for how many seconds no other connection is to be taken.
    mutating func ended(_ number: Int) -> Double? {
        let index = number - self.cleared
        guard self.record.indices.contains(index) else { return nil }
        self.record[index].hasEnded = true
        return self.record[index].behaviour?.last {
            if case .refuse(let seconds) = $0 { seconds } else { nil }
        }
    }

    mutating func clearRecord() {
        self.cleared += self.record.count
        self.record = []
        self.feeds = []
    }
}
