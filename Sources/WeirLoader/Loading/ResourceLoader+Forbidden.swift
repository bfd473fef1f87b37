// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// A resource that the origin forbids to store (`Cache-Control: no-store`) bypasses the cache.
///
/// Each of its readings has its own request.
extension ResourceLoader {
    /// Whether the origin has forbidden storing the resource, and a reader from that time still
    /// reads.
    var isForbidden: Bool { self.degradation?.code == .forbidden }

    /// Handles a response that forbids storing its bytes.
    ///
    /// Bytes that were stored before are removed; current readers keep them. The reader that caused
    /// the request gets the reading. All other readers make their own requests. So does every later
    /// reader, until all these readers have left.
    func passOn(_ reading: ByteReading, of id: FetchID) {
        // The text of a live stream is not for the cache, which is no news to anyone.
        if !self.hasToldForbidden, !reading.resource.isStoredForm {
            self.hasToldForbidden = true
            self.observer?(
                .storingForbidden(resource: self.key.display, id: self.key.identifier)
            )
        }
        let reader = self.plan.fetches.first { $0.id == id }?.openedFor
        // Nothing was compared with the bytes that earlier responses have brought.
        let isJoined = self.generation == nil
        if let generation = self.generation {
            generation.release()
            self.generation = nil
            self.forget()
        }
        self.description = reading.resource
        self.degradation = SourceError(
            .forbidden,
            "The origin forbids storing \(self.key.display); Weir reads it without keeping it."
        )
        if let reader {
            self.readers[reader]?.handedOver = HandedOver(
                reading: reading,
                next: reading.lowerBound,
                isJoined: isJoined
            )
        }
        self.abandonFetches()
        self.startOver()
        for id in self.readers.keys { self.readers[id]?.wake() }
    }

    /// Returns the reading that was handed to a reader, once.
    func takeHandedOver(_ id: DemandID) -> HandedOver? {
        defer { self.readers[id]?.handedOver = nil }
        return self.readers[id]?.handedOver
    }
}
