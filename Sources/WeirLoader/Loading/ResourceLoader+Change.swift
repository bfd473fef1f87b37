// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// The reaction when the origin has another version than the one that readers read.
extension ResourceLoader {
    /// Ends this generation after the origin has changed the resource: nothing more is added to it
    /// (law 2).
    func change(_ error: SourceError) {
        self.observer?(.changed(host: error.host))
        self.refusal = nil
        self.failReaders(error)
        self.abandonFetches()
        self.generation.map { $0.release() }
        self.generation = nil
        self.description = nil
        self.startOver()
        self.forget()
    }

    /// Handles a change of the resource that a reader's own request has shown.
    func heardOfChange(_ error: SourceError, from version: ReadDemand.Version?) {
        guard let description, description.version == version else { return }
        self.change(error)
    }

    func failReaders(_ error: SourceError, all: Bool = false) {
        for (id, reader) in self.readers where all || reader.detachment == nil {
            self.readers[id]?.failure = error
            self.readers[id]?.wake()
        }
    }
}
