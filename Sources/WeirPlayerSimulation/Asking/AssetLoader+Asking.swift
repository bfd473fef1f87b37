// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import WeirAVFoundation
package import WeirSource

extension AssetLoader {
    /// A loader on a queue of its own.
    package static func over(
        _ source: any ByteSource,
        delegate: (any MediaAssetDelegate)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> AssetLoader {
        AssetLoader(
            source,
            queue: DelegateQueue(label: "test"),
            delegate: delegate,
            clock: clock
        )
    }

    /// What a player does, from elsewhere.
    package nonisolated func ask(_ request: RecordedRequest) {
        // The actor's executor is this queue, so what runs on the queue is isolated to the actor.
        self.queue.queue.async { self.assumeIsolated { $0.add(request) } }
    }

    /// What a player does, from elsewhere.
    package nonisolated func cancel(_ request: RecordedRequest) {
        self.queue.queue.async {
            // As above: the queue is the actor's executor.
            self.assumeIsolated { $0.cancel { ($0 as? RecordedRequest) === request } }
        }
    }
}
