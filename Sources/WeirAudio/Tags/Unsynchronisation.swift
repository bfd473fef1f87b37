// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes out the zeros that keep a tag from looking like a frame of MPEG audio (ID3v2.4 structure §6.1).
enum Unsynchronisation {
    /// Turns each `FF 00` into `FF`.
    ///
    /// - Parameter view: what is stored.
    /// - Returns: `nil` if an `FF` is followed by what unsynchronisation never leaves there, `E0` to `FF` or nothing:
    ///   then the flag lies, as some programs set it and write plain bytes, which are to be taken as they are.
    static func decode(_ view: ByteView) -> ByteMemory? {
        let storage = ByteStorage(capacity: view.count)
        var written = 0
        var index = 0
        while index < view.count {
            let byte = view[index]
            storage.base[written] = byte
            written += 1
            index += 1
            guard byte == 0xFF else { continue }
            guard index < view.count, view[index] < 0xE0 else { return nil }
            if view[index] == 0 { index += 1 }
        }
        return ByteMemory(storage, count: written)
    }
}
