// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station has decided to send to one request.
struct RadioAnswer: Sendable {
    var status: Int
    /// The head, and a body if it is no stream.
    var head: [UInt8]
    /// What follows; `nil`: the connection is closed after the head.
    var sending: RadioSending?
    /// How it behaves, if the request was one for the stream.
    var behaviour: RadioBehaviour?
}
