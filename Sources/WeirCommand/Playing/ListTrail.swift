// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The playlists that led to an entry, each named by the one before.
struct ListTrail {
    /// How deep playlists may lie in one another.
    static let deepest = 4

    /// What they are known by.
    private var lists: [String] = []

    /// Goes into a playlist.
    ///
    /// - Parameters:
    ///   - list: what it is known by: its address, or its place.
    ///   - display: what it is called in sentences.
    /// - Returns: the trail of its entries.
    /// - Throws: ``CommandError`` with `content` for one that it has led through already, and for one that is too deep.
    func entering(_ list: String, called display: String) throws(CommandError) -> ListTrail {
        guard !self.lists.contains(where: { $0.utf8.elementsEqual(list.utf8) }) else {
            throw CommandError(
                .content,
                "\(display) is a playlist that names itself\(self.lists.last == list ? "" : ", through other playlists"), and"
                    + " leads to nothing that can be played; name another.",
                isOfLists: true
            )
        }
        guard self.lists.count < Self.deepest else {
            throw CommandError(
                .content,
                "\(display) is a playlist that lies more than \(Self.deepest) playlists deep; name it, or one on the way to"
                    + " it, itself.",
                isOfLists: true
            )
        }
        var trail = self
        trail.lists.append(list)
        return trail
    }
}
