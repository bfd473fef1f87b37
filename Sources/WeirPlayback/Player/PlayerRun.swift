// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeirLive

/// One beginning of a player: what its tasks wake each other with.
///
/// Those of an older one wake nobody.
final class PlayerRun: Sendable {
    let generation: UInt64
    /// There is room in the queue.
    let room = Wakeup()
    /// There is something in the queue, or the renderer may write.
    let work = Wakeup()

    private let listening = Mutex<StationListener?>(nil)

    init(generation: UInt64) {
        self.generation = generation
    }

    /// Who listens to the station, if one plays.
    var listener: StationListener? { self.listening.withLock { $0 } }

    func setListener(_ listener: StationListener) {
        self.listening.withLock { $0 = listener }
    }
}
