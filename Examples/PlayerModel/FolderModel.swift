// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// The list of one folder, as it comes.
@MainActor
@Observable
public final class FolderModel {
    /// Where the folder is in its storage.
    public let path: String
    /// What has been listed so far, in the storage's order.
    public private(set) var items: [StorageItem] = []
    /// Whether more is to come.
    public private(set) var isLoading = false
    /// Why the list ends where it does; `nil` if it is whole, or still to come.
    public private(set) var message: String?

    private let storage: LibraryStorage
    /// Tells the newest listing from those that it overtook.
    private var lastLoad = 0

    /// A list of a folder, empty until it is loaded.
    public init(_ path: String = "/", in storage: LibraryStorage) {
        self.path = path
        self.storage = storage
    }

    /// Lists the folder anew; each item can be seen when it has come.
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
