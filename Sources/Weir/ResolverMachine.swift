// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides for which downloads the application's closure is asked, and when.
///
/// The closure is asked once for each download that waits for its source, in the order of the queue. It is asked again if
/// the download has run, paused, failed or been resumed since. If it is resumed during an asking, the next one begins
/// when the closure has returned without a medium. A few askings run at once. One that takes long no longer counts, so
/// that one that never returns holds up only its own download. Each download has at most one asking.
///
/// An asking has a number; what is told of one that was cancelled is not heard.
struct ResolverMachine: Sendable {
    /// What happened.
    enum Event: Sendable {
        /// The application has set a closure, the first or another one.
        case closureSet
        /// These downloads are in the queue and not over; this process lends the media of some, and may lend so many more.
        case listed([Download], lent: Set<Download.ID>, room: Int)
        /// The application has resumed a download, after the asking with this number.
        case resumed(Download.ID, after: Int)
        /// An asking has come to its end, with a medium or without one.
        case returned(Download.ID, asking: Int, hasMedium: Bool)
        /// An asking has run for ``ResolverMachine/patience``.
        case delayed(Download.ID, asking: Int)
        /// The queue is no longer used.
        case closed
    }

    /// What is to be done.
    enum Effect: Hashable, Sendable {
        case ask(Download, asking: Int)
        case cancel(Download.ID)
    }

    private struct Asking {
        let number: Int
        var isDelayed = false
        /// Whether the download was resumed since: without a medium it is asked for once more.
        var isResumed = false
    }

    /// Most askings that run at once and have not taken long.
    static let maximumRunning = 4
    /// How long an asking may run before it no longer counts.
    static let patience = Duration.seconds(10)

    private var isOpen = false
    /// The downloads that wait for their source, in the order of the queue.
    private var waiting: [Download] = []
    /// Those of them that have not been asked for, the last one first.
    private var pending: [Download] = []
    /// How many more media this process may lend than those of the askings that run.
    private var room = Int.max
    /// The downloads that have been asked for since they began to wait, and the numbers of the askings.
    private var asked: [Download.ID: Int] = [:]
    private var running: [Download.ID: Asking] = [:]
    /// How many askings run and have not taken long.
    private var runningCount = 0
    /// The number of the last asking.
    private(set) var lastNumber = 0

    /// Whether an asking runs and was not cancelled.
    func isRunning(_ id: Download.ID, asking number: Int) -> Bool {
        self.running[id]?.number == number
    }

    /// Whether an asking for this download runs, whatever its number.
    func isRunning(_ id: Download.ID) -> Bool { self.running[id] != nil }

    /// Takes an event in.
    ///
    /// - Returns: what is to be done, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .closureSet:
            let effects = self.cancel(Array(self.running.keys))
            (self.isOpen, self.asked) = (true, [:])
            return effects + self.askAll()
        case .listed(let list, let lent, let room): return self.take(list, lent, room: room)
        case .resumed(let id, let number):
            guard let asked = self.asked[id], asked <= number else { return [] }
            // Its closure may be at its end already, so the answer that is awaited may be too old.
            guard self.running[id] == nil else {
                self.running[id]?.isResumed = true
                return []
            }
            self.asked[id] = nil
            return self.askAll()
        case .returned(let id, let number, let hasMedium):
            guard let asking = self.running[id], asking.number == number else { return [] }
            self.leave(id)
            if hasMedium {
                self.room -= 1
            } else if asking.isResumed {
                self.asked[id] = nil
                return self.askAll()
            }
            return self.ask()
        case .delayed(let id, let number):
            guard self.isRunning(id, asking: number), self.running[id]?.isDelayed == false else {
                return []
            }
            self.running[id]?.isDelayed = true
            self.runningCount -= 1
            return self.ask()
        case .closed:
            let effects = self.cancel(Array(self.running.keys))
            (self.isOpen, self.asked, self.pending, self.waiting) = (false, [:], [], [])
            return effects
        }
    }

    private mutating func take(
        _ list: [Download],
        _ lent: Set<Download.ID>,
        room: Int
    ) -> [Effect] {
        self.waiting = list.filter { $0.state == .waiting(.source) && !lent.contains($0.id) }
        guard self.isOpen else {
            self.room = room
            return []
        }
        var unwanted = Set(self.running.keys)
        for download in list {
            switch download.state {
            // One that runs has its medium already, perhaps from the closure, which has not returned yet.
            case .waiting, .queued, .running: unwanted.remove(download.id)
            case .paused, .finished, .failed: break
            }
        }
        let effects = self.cancel(Array(unwanted))
        let waiting = Set(self.waiting.map(\.id))
        self.asked = self.asked.filter { waiting.contains($0.key) || self.running[$0.key] != nil }
        self.room = room - self.running.count
        return effects + self.askAll()
    }

    /// Asks for all that have not been asked for, as many at once as may be.
    private mutating func askAll() -> [Effect] {
        self.pending = self.waiting.reversed().filter { self.asked[$0.id] == nil }
        return self.ask()
    }

    private mutating func ask() -> [Effect] {
        var effects: [Effect] = []
        while self.isOpen, self.runningCount < Self.maximumRunning, self.room > 0,
            let download = self.pending.popLast()
        {
            self.room -= 1
            self.lastNumber += 1
            self.asked[download.id] = self.lastNumber
            self.running[download.id] = Asking(number: self.lastNumber)
            self.runningCount += 1
            effects.append(.ask(download, asking: self.lastNumber))
        }
        return effects
    }

    private mutating func cancel(_ ids: [Download.ID]) -> [Effect] {
        ids.sorted().map { id in
            self.leave(id)
            return .cancel(id)
        }
    }

    private mutating func leave(_ id: Download.ID) {
        guard let asking = self.running.removeValue(forKey: id) else { return }
        self.room += 1
        if !asking.isDelayed { self.runningCount -= 1 }
    }
}
