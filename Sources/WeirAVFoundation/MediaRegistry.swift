// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// Maps addresses to their loaders, and keeps no loader alive.
package final class MediaRegistry: Sendable {
    /// The registry of this process.
    package static let shared = MediaRegistry()

    /// Returns a loader while it lives.
    private typealias Entry = @Sendable () -> AssetLoader?

    private let state = Mutex<(entries: [String: Entry], lastNumber: Int)>(([:], 0))
    /// A random part of every address, so that the addresses of two processes differ.
    private let run = String(UInt32.random(in: .min ... .max), radix: 16)

    package init() {}

    /// Makes an address for a loader.
    ///
    /// - Parameters:
    ///   - loader: answers the requests for the address for as long as it lives.
    ///   - name: the name of the file.
    ///   - type: the type of the medium.
    /// - Returns: the address.
    package func register(_ loader: AssetLoader, name: String?, type: MediaType?) -> MediaAddress {
        self.state.withLock { state in
            state.lastNumber += 1
            let address = MediaAddress(
                id: "\(self.run)-\(state.lastNumber)",
                name: name,
                type: type
            )
            state.entries[address.id] = { [weak loader] in loader }
            return address
        }
    }

    /// The loader of a URL; `nil` if the URL is not in the registry, or its asset is deallocated.
    package func loader(of url: String) -> AssetLoader? {
        MediaAddress.id(in: url).flatMap { id in
            self.state.withLock { $0.entries[id]?() }
        }
    }

    /// Removes an address.
    package func remove(_ address: MediaAddress) {
        self.state.withLock { _ = $0.entries.removeValue(forKey: address.id) }
    }

    /// How many addresses the registry has.
    package var count: Int { self.state.withLock { $0.entries.count } }
}
