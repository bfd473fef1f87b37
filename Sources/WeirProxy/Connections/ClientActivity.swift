// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// What the client of a connection does, as far as it matters to whoever needs its place.
enum ClientActivity: Hashable, Sendable {
    /// It came then and has not asked for anything yet: its first request may be on its way.
    case new(since: NIODeadline)
    /// Its last request was answered then, and it has asked for nothing since.
    case idle(since: NIODeadline)
    /// It waits for the proxy or takes what it is sent.
    case served
    /// It has been sent bytes and has taken none of them since then.
    case stalled(since: NIODeadline)
}

/// The activity of one connection: written on its event loop, read by whoever looks for a place.
///
/// A store costs no lock, and its order with others does not matter: who reads an older activity makes room a moment
/// later, or closes a connection that is idle no more, which every client of HTTP has to expect (RFC 9112 §9.3.1).
final class ActivityRecord: Sendable {
    /// The kind in the lowest two bits, a time in the others: nanoseconds, which leaves room for 146 years.
    private let word: Atomic<UInt64>

    init(_ activity: ClientActivity) {
        self.word = Atomic(Self.encoded(activity))
    }

    var activity: ClientActivity {
        let word = self.word.load(ordering: .relaxed)
        let time = NIODeadline.uptimeNanoseconds(word >> 2)
        return switch word & 3 {
        case 1: .idle(since: time)
        case 2: .stalled(since: time)
        case 3: .new(since: time)
        default: .served
        }
    }

    func store(_ activity: ClientActivity) {
        self.word.store(Self.encoded(activity), ordering: .relaxed)
    }

    private static func encoded(_ activity: ClientActivity) -> UInt64 {
        switch activity {
        case .served: 0
        case .idle(let since): since.uptimeNanoseconds << 2 | 1
        case .stalled(let since): since.uptimeNanoseconds << 2 | 2
        case .new(let since): since.uptimeNanoseconds << 2 | 3
        }
    }
}
