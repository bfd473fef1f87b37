// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// The effect of a tap on a row in a folder's list.
public enum Tap: Hashable, Sendable {
    /// Opens the folder.
    case opens
    /// Plays the file.
    case plays
    /// Does nothing: no player can play the file.
    case nothing
}

extension StorageItem {
    /// The effect of a tap on the item's row.
    public var tap: Tap {
        if self.isFolder { return .opens }
        let isPlayable = self.mediaType.map { ["audio", "video"].contains($0.topLevel) } ?? false
        return isPlayable ? .plays : .nothing
    }
}
