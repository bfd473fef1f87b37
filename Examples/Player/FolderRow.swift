// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// A row in a folder's list.
struct FolderRow: View {
    let item: StorageItem

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
        switch self.item.tap {
        case .opens: "folder"
        case .plays: "play.circle"
        case .nothing: "doc"
        }
    }
}
#endif
