// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The connections that hang on another one: when that ends, so do they.
final class OpenChannels: Sendable {
    private struct Entry {
        weak var channel: FrameChannel?
    }

    private let state = Mutex<(entries: [Entry], isEnded: Bool)>(([], false))

    /// Takes a connection in; closes it at once if it is too late.
    func add(_ channel: FrameChannel) {
        let isEnded = self.state.withLock { state in
            state.entries.removeAll { $0.channel == nil }
            if !state.isEnded { state.entries.append(Entry(channel: channel)) }
            return state.isEnded
        }
        if isEnded { channel.close() }
    }

    /// Whether ``end()`` was called.
    var isEnded: Bool { self.state.withLock { $0.isEnded } }

    /// Closes all of them, and all that come later.
    func end() {
        let entries = self.state.withLock { state in
            state.isEnded = true
            defer { state.entries = [] }
            return state.entries
        }
        for entry in entries { entry.channel?.close() }
    }
}
