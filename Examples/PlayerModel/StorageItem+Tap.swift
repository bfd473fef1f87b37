// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// What a tap on a line in the list of a folder does.
public enum Tap: Hashable, Sendable {
    /// Opens the folder.
    case opens
    /// Plays the file.
    case plays
    /// Nothing: no player knows it.
    case nothing
}

extension StorageItem {
    /// What a tap on its line does.
    public var tap: Tap {
        if self.isFolder { return .opens }
        let isPlayable = self.mediaType.map { ["audio", "video"].contains($0.topLevel) } ?? false
        return isPlayable ? .plays : .nothing
    }
}
