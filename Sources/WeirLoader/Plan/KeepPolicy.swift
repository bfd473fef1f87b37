// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What stays to be fetched when no reader wants it any more.
public enum KeepPolicy: Hashable, Sendable {
    /// Nothing: what was played is kept, and no more is asked for.
    case played
    /// Everything: every hole is filled, while readers are there and after they have gone.
    case whole
    /// The first bytes, this many: enough to start at once the next time.
    case first(Int64)

    /// How far holes are filled for nobody, in a resource of this length.
    func fillEnd(inLength length: Int64) -> Int64 {
        switch self {
        case .played: 0
        case .whole: length
        case .first(let count): min(count, length)
        }
    }
}
