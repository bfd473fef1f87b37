// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio
internal import WeirLive

/// All that is known in a player: the machine, the queue, the book of what is heard, and what is yet to be done.
///
/// It does nothing itself. What the machine wants is put in a row; ``PlayerCore`` holds it under its lock, and does what
/// lies in the row outside of it.
struct PlayerStore {
    /// Something to be done.
    enum Work: Sendable {
        case effect(PlayerEffect)
        case event(PlayerEvent, UInt64)
        case snapshot(PlayerSnapshot, UInt64)
    }

    /// So often in a row a sink may say that its device has changed, without a second of sound between.
    static let mostDeviceChanges = 10

    let limits: QueueLimits
    var machine = PlayerMachine()
    var queue: PacketQueue
    var ledger = RenderLedger()
    var run = PlayerRun(generation: 0)
    var items: [PlayerItem] = [] {
        didSet { self.itemNames = self.items.map(\.name) }
    }
    private(set) var itemNames: [String] = []
    var place = PlayerPlace(index: 0, spot: .start, shown: .zero)
    var face = PlayerFace()
    /// What the sink had left to play when it was asked last.
    var delay: Duration = .zero
    /// Since when the renderer has had nothing to write although it might; `nil` while it has.
    var starvingSince: Duration?
    /// How often the sink has said so since it last gave a second of sound.
    var deviceChanges = 0
    /// What is to be done, in this order.
    var work: [Work] = []
    /// Whether somebody does it.
    var isWorking = false
    /// Numbers what is told, so that nobody takes for news what was on its way when he came.
    private(set) var order: UInt64 = 0

    init(limits: QueueLimits) {
        self.limits = limits
        self.queue = PacketQueue(limits: limits)
    }

    /// Puts effects into the row, and does at once what others must find done.
    mutating func arrange(_ effects: [PlayerEffect]) {
        for effect in effects {
            switch effect {
            case .begin(let generation):
                self.queue = PacketQueue(limits: self.limits)
                self.ledger.restart(at: self.place.shown)
                self.delay = .zero
                self.starvingSince = nil
                self.run = PlayerRun(generation: generation)
                self.face.begin(self.place, self.items)
                self.work.append(.effect(effect))
            case .publish:
                let said = PlayerFace.Said(self.machine.state, self.machine.stopReason)
                if self.face.said != said {
                    self.face.said = said
                    self.tell(.stateChanged(said.state, said.reason, self.machine.failure))
                }
                self.tell(self.snapshot)
            case .openGate: self.run.work.wake()
            case .closeGate: break
            default: self.work.append(.effect(effect))
            }
        }
    }

    /// Tells what happened.
    mutating func tell(_ event: PlayerEvent) {
        self.order += 1
        self.work.append(.event(event, self.order))
    }

    private mutating func tell(_ snapshot: PlayerSnapshot) {
        self.order += 1
        self.work.append(.snapshot(snapshot, self.order))
    }
}
