// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Replaces undecodable packets with silence of the same length, up to a limit.
struct Concealment: Sendable {
    /// The item fails after this many damaged packets in a row.
    static let mostInARow = 200
    /// No codec puts more frames into a packet; a packet that claims more is damaged, and would
    /// take unlimited memory.
    static let mostFrames = 1 << 17

    private var inARow = 0
    /// The number of the item's decoded packets, and of the damaged ones, with the last reason.
    private var decoded = 0
    private var damaged = 0
    private var reason: AudioError?

    /// The following packets belong to another item.
    mutating func begin() {
        self = Concealment()
    }

    /// The next packet does not follow the last one.
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
    /// - Returns: why nothing of it was heard, if it had packets and none could be decoded.
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
    /// - Returns: the reason, if the item must end because of it.
    mutating func failed(_ error: AudioError) -> String? {
        self.inARow += 1
        self.damaged += 1
        self.reason = error
        if error.code == .failed { return "it cannot be decoded (\(error))" }
        guard self.inARow >= Self.mostInARow else { return nil }
        return "\(self.inARow) packets in a row cannot be decoded (\(error))"
    }

    /// The number of silent frames that replace a packet.
    ///
    /// - Parameters:
    ///   - duration: the packet's duration in its container.
    ///   - sampleRate: the rate of the duration.
    ///   - output: the rate of the frames.
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
