// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out how the sizes of frames in a tag of 2.4 are written: seven bits a byte, or plain, as iTunes did.
enum ID3v2FrameSizes {
    /// Walks over the frames both ways, and takes the one that meets more names; on a tie the rule of 2.4, unless only
    /// the other one ends where the tag does.
    ///
    /// - Parameter view: the frames and the padding.
    /// - Returns: whether sizes have seven bits a byte.
    static func areSynchsafe(_ view: ByteView) -> Bool {
        let synchsafe = Self.walk(view) { ID3v2Header.synchsafe(view, $0) }
        let plain = Self.walk(view) { Int(view.big($0, UInt32.self)) }
        if synchsafe.names != plain.names { return synchsafe.names > plain.names }
        return synchsafe.isEven || !plain.isEven
    }

    /// Counts names until the padding, the end, or something that is no name.
    private static func walk(
        _ view: ByteView,
        size: (Int) -> Int
    ) -> (names: Int, isEven: Bool) {
        var offset = 0
        var names = 0
        while view.count - offset >= 10 {
            if view[offset] == 0 { return (names, true) }
            guard ID3v2FrameNames.isName(view, at: offset) else { return (names, false) }
            names += 1
            offset += 10 + size(offset + 4)
        }
        return (names, offset <= view.count)
    }
}
