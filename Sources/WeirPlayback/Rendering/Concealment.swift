// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Replaces packets that cannot be decoded by silence of their length, until there are too many.
struct Concealment: Sendable {
    /// So many in a row are too many.
    static let mostInARow = 200
    /// No codec puts more into a packet; what claims more is damaged, and would take memory without end.
    static let mostFrames = 1 << 17

    private var inARow = 0
    /// How many of the item's packets were decoded, and how many could not be, with the last reason.
    private var decoded = 0
    private var damaged = 0
    private var reason: AudioError?

    /// The packets that follow are of another item.
    mutating func begin() {
        self = Concealment()
    }

    /// The next packet is not a successor of the last.
    mutating func restart() {
        self.inARow = 0
    }

    /// A packet was decoded.
    mutating func succeeded() {
        self.inARow = 0
        self.decoded += 1
    }

    /// The item is over.
    ///
    /// - Returns: why nothing of it was heard, if packets were there and none could be decoded.
    func verdict() -> (words: String, cause: AudioError)? {
        guard self.decoded == 0, let reason else { return nil }
        let words =
            self.damaged == 1
            ? "its only packet cannot be decoded"
            : "none of its \(self.damaged) packets can be decoded"
        return ("\(words) (\(reason))", reason)
    }

    /// A packet could not be decoded.
    ///
    /// - Returns: the reason, if that was one too many.
    mutating func failed(_ error: AudioError) -> String? {
        self.inARow += 1
        self.damaged += 1
        self.reason = error
        if error.code == .failed { return "it cannot be decoded (\(error))" }
        guard self.inARow >= Self.mostInARow else { return nil }
        return "\(self.inARow) packets in a row cannot be decoded (\(error))"
    }

    /// How many frames of silence stand for a packet.
    ///
    /// - Parameters:
    ///   - duration: of the packet, by its container.
    ///   - sampleRate: what the duration is counted at.
    ///   - output: what the frames are counted at.
    /// - Returns: from 0 to ``mostFrames``.
    static func frameCount(
        _ duration: SampleCount,
        at sampleRate: Int,
        to output: Int
    ) -> Int {
        let frames = max(0, duration.seconds(sampleRate: max(1, sampleRate))) * Double(output)
        return Int(min(frames.rounded(), Double(Self.mostFrames)))
    }
}
