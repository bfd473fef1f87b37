// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first bytes by which formats are known.
enum ContainerMark {
    /// Which format the first bytes are of.
    ///
    /// - Parameter view: the front of a stream.
    /// - Returns: `nil` if of none, or if there are too few.
    static func container(_ view: ByteView) -> AudioContainer? {
        if view.matches("OggS") { return .ogg }
        if view.matches("fLaC") { return .flac }
        guard view.count >= 12 else { return nil }
        if view.matches("WAVE", at: 8) {
            let isWave =
                view.matches("RIFF") || view.matches("RIFX") || view.matches("RF64")
                || view.matches("BW64")
            if isWave { return .wave }
        }
        return Self.isBox(view) ? .mp4 : nil
    }

    /// Whether a box of ISO 14496-12 stands in front that may come first: `u32 size | 4 name`.
    private static func isBox(_ view: ByteView) -> Bool {
        let size: UInt32 = view.big(0)
        // 1: a size of 64 bits follows; 0: up to the end, which only `mdat` has.
        guard size >= 8 || size <= 1 else { return false }
        let names: [StaticString] = [
            "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "moof", "sidx", "emsg",
        ]
        return names.contains { view.matches($0, at: 4) }
    }

    /// Whether a page of Ogg stands anywhere (RFC 3533 §6: version 0, flags 0 to 7).
    static func hasOggPage(_ view: ByteView) -> Bool {
        var index = 0
        while let found = view.firstIndex(of: UInt8(ascii: "O"), from: index) {
            if view.matches("OggS\0", at: found), found + 5 < view.count, view[found + 5] <= 7 {
                return true
            }
            index = found + 1
        }
        return false
    }
}
