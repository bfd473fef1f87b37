// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The playlists that led to an entry; each is an entry of the playlist before it.
struct ListTrail {
    /// How deep playlists may be nested.
    static let deepest = 4

    /// The names of the playlists.
    private var lists: [String] = []

    /// Enters a playlist.
    ///
    /// - Parameters:
    ///   - list: the playlist's identity: its URL, or its path.
    ///   - display: the playlist's name in messages.
    /// - Returns: the trail for the entries of the playlist.
    /// - Throws: ``CommandError`` with `content` if the trail already contains the playlist, or is
    ///   too deep.
    func entering(_ list: String, called display: String) throws(CommandError) -> ListTrail {
        guard !self.lists.contains(where: { $0.utf8.elementsEqual(list.utf8) }) else {
            throw CommandError(
                .content,
                "\(display) is a playlist that contains"
                    + " itself\(self.lists.last == list ? "" : ", through other playlists"), and has no playable"
                    + " entries; name another.",
                isOfLists: true
            )
        }
        guard self.lists.count < Self.deepest else {
            throw CommandError(
                .content,
                "\(display) is a playlist inside more than \(Self.deepest) other playlists; name it, or one of these,"
                    + " on the command line.",
                isOfLists: true
            )
        }
        var trail = self
        trail.lists.append(list)
        return trail
    }
}
