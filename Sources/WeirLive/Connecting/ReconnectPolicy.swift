// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// When a station is asked again, and when no more.
package struct ReconnectPolicy: Hashable, Sendable {
    /// How long to wait before each attempt in a row.
    ///
    /// The last goes for all further ones. Empty: without waiting, which no server deserves.
    package var delays: [Duration]
    /// By which part of itself a wait is longer or shorter at random, 0 to 1.
    package var jitter: Double
    /// How much sound proves that the station is well, so that the waits begin anew.
    ///
    /// It may be of one connection, or of several in a row that each brought some. A connection with a tenth of it is
    /// followed by the second wait at most.
    package var proof: Duration
    /// How many refusals in a row (401, 403, 404, 410 and the like) end a station that has never played.
    package var refusalLimit: Int
    /// How long a server is left alone at most that asks for it; a listener waits no longer.
    package var patienceLimit: Duration
    /// How long an answer's head may take.
    package var answerLimit: Duration
    /// How long no byte may come; half as long behind the time at which the sound of a burst has been heard.
    package var silenceLimit: Duration
    /// How long no byte may come after the network has become another one.
    package var pathLimit: Duration
    /// How long no sound may come, though bytes do.
    package var muteLimit: Duration
    /// How many bytes in a row may come without sound in them.
    package var garbageLimit: Int
    /// How long the connection is kept when the last listener has left.
    package var grace: Duration
    /// How deep playlists may name playlists: with one, a playlist may name stations only.
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
    /// - Parameter step: how many waits went before since the station was well.
    /// - Returns: the wait.
    func delay(_ step: Int) -> Duration {
        self.delays.isEmpty ? .zero : self.delays[min(max(0, step), self.delays.count - 1)]
    }
}

/// Random numbers of a seed, so that a course of events can be repeated (SplitMix64).
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

    /// A time that is longer or shorter than another at random.
    ///
    /// - Parameters:
    ///   - duration: the other.
    ///   - part: by which part of it at most, 0 to 1; what is beyond is taken as the nearest of these.
    /// - Returns: zero for zero, never less.
    mutating func vary(_ duration: Duration, by part: Double) -> Duration {
        guard duration > .zero, part > 0 else { return max(.zero, duration) }
        let part = min(part, 1)
        return max(.zero, duration * Double.random(in: 1 - part...1 + part, using: &self))
    }
}
