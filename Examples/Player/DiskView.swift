// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// The folders of a disk, from its root.
struct DiskView: View {
    let session: SessionModel
    let disk: LibraryStorage

    var body: some View {
        NavigationStack {
            FolderView(FolderModel(in: self.disk))
                .navigationTitle("Yandex.Disk")
                .toolbar { Button("Log out") { Task { await self.session.logOut() } } }
                .navigationDestination(for: StorageItem.self) { item in
                    self.destination(item).navigationTitle(item.name)
                }
        }
    }

    @ViewBuilder
    private func destination(_ item: StorageItem) -> some View {
        if item.isFolder {
            FolderView(FolderModel(item.path, in: self.disk))
        } else {
            PlayerView(PlaybackModel(self.disk.media(item)))
        }
    }
}
#endif
