// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI

/// The kept resources and the limit, with the ways to change both.
struct StorageView: View {
    /// The limits to choose from, in GiB.
    private static let limits: [Int64] = [1, 2, 5, 10, 50]

    let storage: StorageModel

    var body: some View {
        List {
            Section {
                Picker("Limit", selection: self.limit) {
                    ForEach(Self.limits, id: \.self) { size in
                        Text(size << 30, format: .byteCount(style: .memory)).tag(Int64?.some(size))
                    }
                    Text("No limit").tag(Int64?.none)
                }
                LabeledContent("Kept") {
                    Text(self.storage.heldByteCount, format: .byteCount(style: .file))
                }
            }
            ForEach(self.storage.items) { item in
                StorageRow(item: item)
                    .swipeActions(edge: .leading) {
                        Button(item.isPinned ? "Release" : "Pin", systemImage: "pin") {
                            Task { await self.storage.pin(item, !item.isPinned) }
                        }
                    }
                    .swipeActions {
                        Button("Remove", systemImage: "trash", role: .destructive) {
                            Task { await self.storage.remove(item) }
                        }
                    }
            }
            if let message = self.storage.message {
                Text(message).foregroundStyle(.secondary)
            }
        }
        .refreshable { await self.storage.refresh() }
        .task { await self.storage.refresh() }
    }

    private var limit: Binding<Int64?> {
        Binding { @MainActor in
            self.storage.limit.map { $0 >> 30 }
        } set: { @MainActor size in
            Task { await self.storage.setLimit(size.map { $0 << 30 }) }
        }
    }
}
#endif
