// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI

/// A line of a folder.
struct FolderRow: View {
    let item: FolderItem

    var body: some View {
        LabeledContent {
            if let length = self.item.length {
                Text(length, format: .byteCount(style: .file))
            }
        } label: {
            Label(self.item.name, systemImage: self.symbol)
        }
    }

    private var symbol: String {
        switch self.item.kind {
        case .folder: "folder"
        case .playable: "play.circle"
        case .other: "doc"
        }
    }
}
#endif
