// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

extension AsyncStream<MediaAssetEvent> {
    /// All events, once the stream has ended.
    func told() async -> [String] {
        var told: [String] = []
        for await event in self {
            switch event {
            case .loadedWhole: told.append("whole")
            case .failed(let error): told.append("failed: \(error.code)")
            case .sourceChanged: told.append("changed")
            case .missed(let count): told.append("missed \(count)")
            }
        }
        return told
    }
}
