// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when to call the application's closure, and for which downloads.
///
/// The machine calls the closure once for each download that waits for its source, in the order of
/// the queue. It calls again if the download has run, paused, failed or been resumed since. If the
/// download is resumed during a call, the next call begins when the closure has returned without a
/// medium. Only a few calls run at once. A call that takes long no longer counts, so a call that
/// never returns blocks only its own download. Each download has at most one running call.
///
/// A call is an *asking* in the names of this type, and has a number. The machine ignores events of
/// a cancelled call.
struct ResolverMachine: Sendable {
    /// An event.
    enum Event: Sendable {
        /// The application has set a closure, the first or a new one.
        case closureSet
        /// The current downloads that are not over.
        ///
        /// `lent`: those whose media this process lends; `room`: how many more media it may lend.
        case listed([Download], lent: Set<Download.ID>, room: Int)
        /// The application has resumed a download, after the call with this number.
        case resumed(Download.ID, after: Int)
        /// A call has returned, with a medium or without one.
        case returned(Download.ID, asking: Int, hasMedium: Bool)
        /// A call has run for ``ResolverMachine/patience``.
        case delayed(Download.ID, asking: Int)
        /// The queue is closed.
        case closed
    }

    /// An effect to perform.
    enum Effect: Hashable, Sendable {
        case ask(Download, asking: Int)
        case cancel(Download.ID)
    }

    private struct Asking {
        let number: Int
        var isDelayed = false
        /// Whether the download was resumed since; if the call returns no medium, the next call
        /// follows.
        var isResumed = false
    }

    /// The most calls that run at once, not counting delayed calls.
    static let maximumRunning = 4
    /// How long a call may run before it no longer counts.
    static let patience = Duration.seconds(10)

    private var isOpen = false
    /// The downloads that wait for their source, in the order of the queue.
    private var waiting: [Download] = []
    /// The waiting downloads that have had no call, the last one first.
    private var pending: [Download] = []
    /// How many more media this process may lend, beside the media of the running calls.
    private var room = Int.max
    /// The downloads that have had a call since they began to wait, with the numbers of the calls.
    private var asked: [Download.ID: Int] = [:]
    private var running: [Download.ID: Asking] = [:]
    /// How many calls run, not counting delayed calls.
    private var runningCount = 0
    /// The number of the last call.
    private(set) var lastNumber = 0

    /// Whether a call runs and was not cancelled.
    func isRunning(_ id: Download.ID, asking number: Int) -> Bool {
        self.running[id]?.number == number
    }

    /// Whether a call for this download runs, whatever its number.
    func isRunning(_ id: Download.ID) -> Bool { self.running[id] != nil }

    /// Handles an event.
    ///
    /// - Returns: the effects to perform, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .closureSet:
            let effects = self.cancel(Array(self.running.keys))
            (self.isOpen, self.asked) = (true, [:])
            return effects + self.askAll()
        case .listed(let list, let lent, let room): return self.take(list, lent, room: room)
        case .resumed(let id, let number):
            guard let asked = self.asked[id], asked <= number else { return [] }
            // The running call may have read the old state, so its answer may be out of date.
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
            // A running download has its medium already, perhaps from the closure, which has not
            // returned yet.
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

    /// Starts calls for the waiting downloads that have had no call, as many at once as allowed.
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
