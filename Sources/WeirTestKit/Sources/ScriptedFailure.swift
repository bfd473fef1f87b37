// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An error that a script throws, at an offset or at an answer, so many times.
struct ScriptedFailure: Sendable {
    let offset: Int64
    let error: any Error
    /// How often it is still to be thrown; `nil` for always.
    var times: Int?
}

extension [ScriptedFailure] {
    /// The error that is due, counted as thrown.
    mutating func takeFirst(where isDue: (ScriptedFailure) -> Bool = { _ in true }) -> (any Error)?
    {
        guard let index = self.firstIndex(where: { $0.times != 0 && isDue($0) }) else { return nil }
        if let times = self[index].times { self[index].times = times - 1 }
        return self[index].error
    }
}
