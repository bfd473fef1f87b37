// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension LoadingRequestServer {
    /// The numbers that a server goes by.
    public struct Limits: Hashable, Sendable {
        /// The most bytes that are handed over at once, 512 KiB: the media system keeps a piece until it has used all
        /// of it.
        public var largestPiece = 512 << 10
        /// The fewest bytes that are handed over at once, 64 KiB, but for the first piece of a request, its last, what
        /// came less than that within ``gathering``, and the first bytes of the resource, which are not gathered.
        public var smallestPiece = 64 << 10
        /// How long bytes that came wait for more of them: 20 ms.
        public var gathering = Duration.milliseconds(20)
        /// How many bytes a request is given that the player has not let go of: 16 MiB.
        public var window: Int64 = 16 << 20
        /// How long the player may keep a full ``window`` until it is given another piece all the same: 50 ms.
        ///
        /// Nothing tells for certain that a player has used what it was given. One that keeps everything still gets
        /// 10 MiB a second, up to ``ceiling``.
        public var patience = Duration.milliseconds(50)
        /// How many bytes all requests together are given that the player has not let go of, beyond their windows:
        /// 128 MiB.
        public var ceiling: Int64 = 128 << 20
        /// How many bytes of the start are kept for as long as the asset lives: 64 KiB.
        ///
        /// Every player asks for the first bytes more than once.
        public var head = 64 << 10
        /// How long the reading of the first bytes waits for a request that goes on with it: 10 s.
        public var headPatience = Duration.seconds(10)
        /// How many bytes the newest request to the end of the resource is given before older ones go on: 2 MiB.
        public var lead: Int64 = 2 << 20
        /// The window of a request to the end while there is a newer one: 1 MiB.
        ///
        /// It gets no more for patience: a player that wants it lets go of what it has used.
        public var overtakenWindow: Int64 = 1 << 20
        /// How many requests are answered at the same time; the oldest is ended for the one too many.
        public var requests = 16

        /// The usual numbers.
        public init() {}
    }
}
