// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// The list of one folder, which grows while it loads.
@MainActor
@Observable
public final class FolderModel {
    /// The path of the folder in its storage.
    public let path: String
    /// The items listed so far, in the storage's order.
    public private(set) var items: [StorageItem] = []
    /// Whether the folder is still loading.
    public private(set) var isLoading = false
    /// The reason why the list is incomplete; `nil` if it is complete or still loading.
    public private(set) var message: String?

    private let storage: LibraryStorage
    /// The number of the newest listing, to ignore older ones that still run.
    private var lastLoad = 0

    /// The list of a folder, which is empty until `load`.
    public init(_ path: String = "/", in storage: LibraryStorage) {
        self.path = path
        self.storage = storage
    }

    /// Lists the folder again; each item is visible as soon as it arrives.
    public func load() async {
        self.lastLoad += 1
        let number = self.lastLoad
        self.items = []
        self.message = nil
        self.isLoading = true
        var message: String?
        do {
            for try await item in self.storage.list(self.path) {
                guard number == self.lastLoad else { return }
                self.items.append(item)
            }
        } catch {
            message = ErrorSentence.text(of: error)
        }
        guard number == self.lastLoad else { return }
        self.message = message
        self.isLoading = false
    }
}
