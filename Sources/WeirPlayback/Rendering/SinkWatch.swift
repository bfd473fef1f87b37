// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Notices a sink that does not return from a call and plays nothing meanwhile: a hanging sound
/// server.
///
/// It counts looks, not time, because there are no looks while the computer sleeps.
struct SinkWatch: Sendable {
    enum Finding: Hashable, Sendable {
        /// The sink has stood still for so long that its device counts as missing.
        case stuck
        /// The sink was stuck, and plays or takes sound again.
        case movesAgain
    }

    /// How long a sink may stand still.
    ///
    /// Sound servers without a loudspeaker take sound every two seconds.
    static let patience: Duration = .seconds(3)

    private var isAsked = false
    private var isStuck = false
    private var still: Duration = .zero
    /// The delay at the last progress.
    ///
    /// Only a decrease by ``step`` is progress: the reported delay varies a little.
    private var least: Duration?
    private static let step: Duration = .milliseconds(250)

    /// A call of the sink begins: to open, to write, or to drain.
    mutating func asked() {
        self.isAsked = true
        self.still = .zero
        self.least = nil
    }

    /// The call of the sink is done.
    mutating func answered() -> Finding? {
        self.isAsked = false
        self.still = .zero
        defer { self.isStuck = false }
        return self.isStuck ? .movesAgain : nil
    }

    /// Records a look at the sink.
    ///
    /// - Parameters:
    ///   - delay: how much it has left to play.
    ///   - tick: the time between two looks.
    ///   - isSounding: whether it must play; a paused sink stands still.
    /// - Returns: the new finding; `nil` if there is none.
    mutating func looked(delay: Duration, tick: Duration, isSounding: Bool) -> Finding? {
        let progress = self.least.map { delay <= $0 - Self.step } ?? true
        if progress || !isSounding { self.least = delay }
        guard self.isAsked, isSounding, !progress else {
            self.still = .zero
            guard self.isStuck, isSounding else { return nil }
            self.isStuck = false
            return .movesAgain
        }
        guard !self.isStuck else { return nil }
        self.still += tick
        guard self.still >= Self.patience else { return nil }
        self.isStuck = true
        return .stuck
    }
}
