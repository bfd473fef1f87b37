// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// The disk or the log-in, and next to it the kept files.
struct RootView: View {
    let session: SessionModel

    @State private var storage: StorageModel

    init(session: SessionModel) {
        self.session = session
        self._storage = State(initialValue: StorageModel(session.library))
    }

    var body: some View {
        TabView {
            Tab("Disk", systemImage: "music.note.list") {
                if let disk = self.session.disk {
                    DiskView(session: self.session, disk: disk)
                } else {
                    LogInView(session: self.session)
                }
            }
            Tab("Storage", systemImage: "internaldrive") {
                StorageView(storage: self.storage)
            }
        }
    }
}
#endif
