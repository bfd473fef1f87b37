// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Weir

/// The list of one folder, page by page.
@MainActor
@Observable
public final class FolderModel {
    /// The folder.
    public let path: FolderPath
    /// What has been listed so far, in the storage's order.
    public private(set) var items: [FolderItem] = []
    /// Whether more is to come.
    public private(set) var isLoading = false
    /// Why the list ends where it does; `nil` if it is whole, or still to come.
    public private(set) var message: String?

    private let storage: any MediaStorage
    /// Tells the newest listing from those that it overtook.
    private var lastLoad = 0

    /// A list of a folder, empty until it is loaded.
    public init(_ path: FolderPath, in storage: any MediaStorage) {
        self.path = path
        self.storage = storage
    }

    /// Lists the folder anew; each page can be seen when it has come.
    public func load() async {
        self.lastLoad += 1
        let number = self.lastLoad
        self.items = []
        self.message = nil
        self.isLoading = true
        var message: String?
        do {
            for try await page in self.storage.entries(in: self.path) {
                guard number == self.lastLoad else { return }
                // A name that no path can hold cannot be opened, and is not shown.
                self.items += page.compactMap { try? FolderItem($0, in: self.path) }
            }
        } catch {
            message = ErrorSentence.text(of: error)
        }
        guard number == self.lastLoad else { return }
        self.message = message
        self.isLoading = false
    }
}
