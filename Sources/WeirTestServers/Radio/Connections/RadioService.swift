// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station's connections ask and tell: the edge between sockets and decisions.
///
/// All of it is called on event loops.
struct RadioService: Sendable {
    /// Decides an answer, and gives it a number under which the sending is told.
    var answer: @Sendable (ServerRequest) -> (number: Int, answer: RadioAnswer)
    /// So many more bytes have gone into the socket, and so many of them are sound.
    var bytesLeft: @Sendable (_ number: Int, _ count: Int, _ audioCount: Int) -> Void
    /// The connection has ended.
    var ended: @Sendable (_ number: Int) -> Void
}
