// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// What an origin forbids to store (`Cache-Control: no-store`) goes by the cache: each reading has a request of its own.
extension ResourceLoader {
    /// Whether the origin has forbidden to store the resource, and the reader that found that out still reads it.
    var isForbidden: Bool { self.degradation?.code == .forbidden }

    /// The answer to a request says that its bytes must not be stored.
    ///
    /// What was stored while that was allowed goes, but for readers that have it. The reading is handed to the reader for
    /// which it was begun; the others ask for themselves, and so does every reader that comes while that one is there.
    func passOn(_ reading: ByteReading, of id: FetchID) {
        if !self.hasToldForbidden {
            self.hasToldForbidden = true
            self.observer?(
                .storingForbidden(resource: self.key.display, id: self.key.identifier)
            )
        }
        let reader = self.plan.fetches.first { $0.id == id }?.openedFor
        if let generation = self.generation {
            generation.release()
            self.generation = nil
            self.forget()
        }
        self.description = reading.resource
        self.degradation = SourceError(
            .forbidden,
            "The origin forbids to store \(self.key.display); it is read without being kept."
        )
        if let reader { self.readers[reader]?.handedOver = reading }
        self.abandonFetches()
        self.startOver()
        for id in self.readers.keys { self.readers[id]?.wake() }
    }

    /// The reading that was handed to a reader, once.
    func takeHandedOver(_ id: DemandID) -> ByteReading? {
        defer { self.readers[id]?.handedOver = nil }
        return self.readers[id]?.handedOver
    }
}
