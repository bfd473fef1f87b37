// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAVFoundation
import WeirSource
import WeirTestKit

/// All inputs of a simulation: script, media, sources, limits, and how time passes.
package struct Scenario: Sendable {
    /// The player's requests.
    package var script: PlayerScript
    /// The media, one for each asset.
    package var media: [SimulatedMedium]
    /// The habits of the sources, one for each asset.
    package var habits: [SimulatedOrigin.Habits]
    /// The limits of the server.
    package var limits = LoadingRequestServer.Limits()
    /// When the player releases its bytes.
    package var releases = ReleasePolicy.atOnce
    /// The weights of the next event: an action of the player, an answer of a source, the end of a
    /// wait.
    ///
    /// By default sources are as fast as the player, and waits are long.
    package var pace = (player: 1.0, source: 1.0, wait: 0.2)
    /// Whether the server is asked to read ahead before the first request.
    package var isPrepared = false
    /// Whether the server learns, before the first request, that every byte is held.
    package var isHeld = false
    /// The probability that a dropped reading still answers.
    package var lateAnswers = 0.0
    /// The step of the simulation at which the player leaves, whatever is live; `nil`: at the end
    /// of its script.
    package var leavesAt: Int?
    /// The most steps until everything rests.
    package var mostSteps = 200_000

    /// An unchanged script, on sources that deliver all requested bytes in the largest possible
    /// chunks.
    package init(_ script: PlayerScript, limits: LoadingRequestServer.Limits = .init()) {
        self.script = script
        self.limits = limits
        self.media = (0..<script.assets).map {
            SimulatedMedium(length: script.length, start: Int64($0) * 104_729)
        }
        var habits = SimulatedOrigin.Habits()
        habits.fillsChunks = true
        habits.failsAt = script.failsAt
        habits.failures = script.failures
        self.habits = Array(repeating: habits, count: script.assets)
    }
}

extension Scenario {
    /// The scenario of a seed.
    ///
    /// Most seeds give small scripts, lengths and limits, so that much happens in few bytes. Some
    /// give realistic ones.
    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D ^ 0x5EED)
        self.init(using: &generator)
    }

    private init(using generator: inout SeededGenerator) {
        func chance(_ likelihood: Double) -> Bool {
            Double.random(in: 0..<1, using: &generator) < likelihood
        }
        let isLifeSized = chance(0.015)
        let isHuge = chance(0.03)
        var script = PlayerScript.reference.randomElement(using: &generator) ?? .s1
        if isHuge { script = .s4 }
        var limits = LoadingRequestServer.Limits()
        if !isLifeSized { limits = .drawn(using: &generator) }
        if !isLifeSized, !isHuge {
            script = script.scaled(to: Self.length(using: &generator))
        }
        if chance(0.9) { script = script.varied(using: &generator) }
        if isHuge { script = script.cutShort(after: Int64(limits.largestPiece) * 20) }
        self.init(script, limits: limits)
        self.releases =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .never
            case 1: .lagging(pieces: Int.random(in: 1...12, using: &generator))
            default: .atOnce
            }
        // A lagging player may keep more of an older request than
        // ``WeirAVFoundation/LoadingRequestServer/Limits/overtakenWindow``. Such a request gets no
        // bytes while a newer request continues, and a request for a huge resource hardly ever
        // ends. So the run would not come to rest.
        if isHuge, case .lagging = self.releases { self.releases = .atOnce }
        self.pace.player = Double.random(in: 0.2...2, using: &generator)
        self.pace.source = Double.random(in: 0.2...2, using: &generator)
        self.pace.wait = Double.random(in: 0.02...0.6, using: &generator)
        self.isPrepared = chance(0.2)
        self.isHeld = chance(0.1)
        self.lateAnswers = chance(0.5) ? Double.random(in: 0...1, using: &generator) : 0
        if chance(0.1) { self.leavesAt = Int.random(in: 0..<200, using: &generator) }
        let isTroubled = chance(0.35)
        for asset in self.media.indices {
            self.draw(asset, isTroubled: isTroubled, isLifeSized: isLifeSized, &generator)
        }
    }

    private mutating func draw(
        _ asset: Int,
        isTroubled: Bool,
        isLifeSized: Bool,
        _ generator: inout SeededGenerator
    ) {
        func chance(_ likelihood: Double) -> Bool {
            Double.random(in: 0..<1, using: &generator) < likelihood
        }
        let length = self.script.length
        var habits = self.habits[asset]
        if !isLifeSized {
            let piece = self.limits.largestPiece
            let sizes = [max(1, piece / 32), piece / 4, piece, 1 << 20]
            habits.largestChunk = sizes.randomElement(using: &generator) ?? piece
            if length <= 512, chance(0.3) { habits.largestChunk = 1 }
        }
        habits.fillsChunks = chance(0.3)
        let types: [MediaType?] = [.mpegAudio, .mpegAudio, .mp4Audio, .mp4Video, .wavPack, nil]
        self.media[asset].mediaType = types.randomElement(using: &generator) ?? nil
        if chance(0.2) {
            habits.announcesLengthFrom =
                chance(0.5) ? .max : Int.random(in: 1...3, using: &generator)
            self.media[asset].announcesLength = false
        }
        habits.hasValidator = chance(0.75)
        if isTroubled {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: habits.failingOpenings = [Int.random(in: 0..<4, using: &generator)]
            case 1:
                habits.failsAt = Int64.random(in: 0..<max(1, length), using: &generator)
                habits.failures = Int.random(in: 1...3, using: &generator)
            case 2 where self.media[asset].announcesLength:
                habits.endsEarlyAt = Int64.random(in: 0..<max(1, length), using: &generator)
            default:
                habits.changesAt = Int.random(in: 1..<40, using: &generator)
                habits.keepsOldReadings = chance(0.6)
                habits.hasValidator = true
                let other =
                    chance(0.5) ? length : Int64.random(in: 0...(2 * length), using: &generator)
                let start = Int64(asset) * 104_729
                self.media[asset].versions.append(
                    SimulatedContent(length: other, version: 1, start: start)
                )
            }
        }
        self.habits[asset] = habits
    }

    private static func length(using generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: Int64.random(in: 0...8, using: &generator)
        case 1, 2: Int64.random(in: 1...200, using: &generator)
        case 3...7: Int64.random(in: 200...4_000, using: &generator)
        default: Int64.random(in: 4_000...12_000, using: &generator)
        }
    }
}

extension LoadingRequestServer.Limits {
    /// The usual proportions, about a thousand times smaller.
    fileprivate static func drawn(using generator: inout SeededGenerator) -> Self {
        var limits = Self()
        limits.largestPiece = [64, 512, 512, 1_000].randomElement(using: &generator) ?? 512
        limits.smallestPiece = max(1, limits.largestPiece / 8)
        limits.head = [1, 64, 64, 128].randomElement(using: &generator) ?? 64
        limits.head = min(limits.head, limits.largestPiece)
        limits.window = Int64(limits.largestPiece * Int.random(in: 2...12, using: &generator))
        limits.ceiling = limits.window * Int64.random(in: 1...6, using: &generator)
        limits.lead = Int64(limits.largestPiece * Int.random(in: 1...4, using: &generator))
        limits.overtakenWindow = Int64(
            limits.largestPiece * Int.random(in: 1...2, using: &generator)
        )
        limits.requests = [2, 3, 16, 16].randomElement(using: &generator) ?? 16
        return limits
    }
}
