// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when to ask a station again, and when to stop asking.
package struct ReconnectPolicy: Hashable, Sendable {
    /// How long to wait before each attempt in a row.
    ///
    /// The last delay applies to all further attempts. An empty list means no waiting, which is
    /// unfair to any server.
    package var delays: [Duration]
    /// The random part by which a wait is longer or shorter, 0 to 1.
    package var jitter: Double
    /// How much sound proves that the station works, so that the waits start again from the first.
    ///
    /// The sound may come from one connection, or from several in a row that each brought some.
    /// After a connection with a tenth of this amount, the next wait is the second one at most.
    package var proof: Duration
    /// How many refusals in a row (401, 403, 404, 410 and the like) end a station that has never
    /// played.
    package var refusalLimit: Int
    /// The longest wait that a server can ask for; a listener waits no longer.
    package var patienceLimit: Duration
    /// How long the response head may take.
    package var answerLimit: Duration
    /// How long the server may send no byte.
    ///
    /// After a burst, the limit is half of this time after the burst's sound has been heard, if
    /// that is later.
    package var silenceLimit: Duration
    /// How long the server may send no byte after the network has changed.
    package var pathLimit: Duration
    /// How long the server may send bytes without sound.
    package var muteLimit: Duration
    /// How many bytes in a row may contain no sound.
    package var garbageLimit: Int
    /// How long the connection is kept after the last listener has left.
    package var grace: Duration
    /// How deep playlists may name playlists: with 1, a playlist may name only stations.
    package var playlistDepth: Int

    /// A policy.
    ///
    /// - Parameters:
    ///   - delays: 0, 1, 2, 4, 8, 16, 30 s.
    ///   - jitter: a fifth.
    ///   - proof: 10 s.
    ///   - refusalLimit: two.
    ///   - patienceLimit: two minutes.
    ///   - answerLimit: 15 s.
    ///   - silenceLimit: 10 s.
    ///   - pathLimit: 2 s.
    ///   - muteLimit: 30 s.
    ///   - garbageLimit: 1 MiB.
    ///   - grace: 250 ms.
    ///   - playlistDepth: four.
    package init(
        delays: [Duration] = [0, 1, 2, 4, 8, 16, 30].map { .seconds($0) },
        jitter: Double = 0.2,
        proof: Duration = .seconds(10),
        refusalLimit: Int = 2,
        patienceLimit: Duration = .seconds(120),
        answerLimit: Duration = .seconds(15),
        silenceLimit: Duration = .seconds(10),
        pathLimit: Duration = .seconds(2),
        muteLimit: Duration = .seconds(30),
        garbageLimit: Int = 1 << 20,
        grace: Duration = .milliseconds(250),
        playlistDepth: Int = 4
    ) {
        self.delays = delays
        self.jitter = jitter
        self.proof = proof
        self.refusalLimit = refusalLimit
        self.patienceLimit = patienceLimit
        self.answerLimit = answerLimit
        self.silenceLimit = silenceLimit
        self.pathLimit = pathLimit
        self.muteLimit = muteLimit
        self.garbageLimit = garbageLimit
        self.grace = grace
        self.playlistDepth = playlistDepth
    }

    /// How long to wait before an attempt, without jitter.
    ///
    /// - Parameter step: the number of waits since the station last worked.
    /// - Returns: the wait.
    func delay(_ step: Int) -> Duration {
        self.delays.isEmpty ? .zero : self.delays[min(max(0, step), self.delays.count - 1)]
    }
}

/// Random numbers from a seed, so that a sequence of events can be repeated (SplitMix64).
struct Jitter: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Makes a duration longer or shorter at random.
    ///
    /// - Parameters:
    ///   - duration: the original duration.
    ///   - part: the largest change as a part of it; values outside 0 to 1 are clamped.
    /// - Returns: the changed duration; zero for zero, and never negative.
    mutating func vary(_ duration: Duration, by part: Double) -> Duration {
        guard duration > .zero, part > 0 else { return max(.zero, duration) }
        let part = min(part, 1)
        return max(.zero, duration * Double.random(in: 1 - part...1 + part, using: &self))
    }
}
