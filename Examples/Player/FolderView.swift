// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// One folder: its list, and the error that ended the list.
struct FolderView: View {
    @State private var folder: FolderModel

    init(_ folder: FolderModel) {
        self._folder = State(initialValue: folder)
    }

    var body: some View {
        List {
            ForEach(self.folder.items) { item in
                NavigationLink(value: item) { FolderRow(item: item) }
                    .disabled(item.tap == .nothing)
            }
            if self.folder.isLoading { ProgressView() }
            if let message = self.folder.message {
                Text(message).foregroundStyle(.secondary)
            }
        }
        .refreshable { await self.folder.load() }
        .task { await self.folder.load() }
    }
}
#endif
