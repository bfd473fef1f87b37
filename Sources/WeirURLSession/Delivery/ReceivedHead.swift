// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP

/// The head of an answer, as the platform has parsed it.
struct ReceivedHead: Sendable {
    var status: Int
    var headers: HTTPHeaderList
    var framing: BodyFraming
}
