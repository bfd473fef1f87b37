// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The temporary notice of the terminal player: a warning, or the effect of a key.
struct ShownNotice {
    /// How long a notice is shown.
    static let time = Duration.seconds(5)

    private var line = ""
    private var end: ContinuousClock.Instant?
    /// The item that the terminal showed when the notice came.
    private var item: Int?

    /// Shows a notice in place of the present one.
    mutating func show(_ line: String, of item: Int?, at now: ContinuousClock.Instant) {
        self.line = line
        self.item = item
        self.end = now + Self.time
    }

    /// Clears a notice of another item.
    ///
    /// A user may press a key before the audio of the shown item starts. Its notice stays.
    mutating func itemStarted(_ index: Int) {
        if self.item != index { self.end = nil }
    }

    /// The notice; `nil` once its time is over.
    func text(at now: ContinuousClock.Instant) -> String? {
        guard let end, now < end else { return nil }
        return self.line
    }
}
