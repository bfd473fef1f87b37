// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI

/// A row in the list of kept resources.
struct StorageRow: View {
    let item: KeptItem

    var body: some View {
        VStack(alignment: .leading) {
            Label(self.item.title, systemImage: self.item.isPinned ? "pin.fill" : "music.note")
            HStack {
                ProgressView(value: self.item.fraction ?? 0)
                Text(self.item.heldByteCount, format: .byteCount(style: .file))
                    .foregroundStyle(.secondary)
            }
        }
    }
}
#endif
