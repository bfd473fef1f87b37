// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGInfoTag {
    /// Reads Fraunhofer's tag, which stands 32 bytes behind the header of whatever version.
    ///
    ///     36  "VBRI"                  54  entries of the table u16
    ///     40  version u16             56  scale of the entries u16
    ///     42  delay u16               58  bytes an entry u16, 1 to 4
    ///     44  quality u16             60  frames an entry u16
    ///     46  bytes u32               62  the entries: bytes of so many frames, divided by the scale
    ///     50  frames u32
    ///
    /// The delay is not taken for a trim: what encoders write there is not known to be one, and no peer trims by it.
    ///
    /// - Parameter frame: all of the frame.
    /// - Returns: whether it is whole, the table aside.
    mutating func readVBRI(_ frame: ByteView) -> Bool {
        guard frame.count >= 62 else { return false }
        let bytes = Int64(frame.big(46, UInt32.self))
        let frames = Int64(frame.big(50, UInt32.self))
        self.byteCount = bytes > 0 ? bytes : nil
        self.frameCount = frames > 0 ? frames : nil
        let entries = Int(frame.big(54, UInt16.self))
        let scale = Int64(frame.big(56, UInt16.self))
        let width = Int(frame.big(58, UInt16.self))
        self.framesPerEntry = Int64(frame.big(60, UInt16.self))
        guard (1...4).contains(width), self.framesPerEntry > 0, frame.count >= 62 + entries * width
        else {
            return true
        }
        // At most as many as a frame has bytes, of at most 48 bits each.
        var sum: Int64 = 0
        self.table = (0..<entries).map { entry in
            defer {
                var value: Int64 = 0
                for index in 0..<width {
                    value = value << 8 | Int64(frame[62 + entry * width + index])
                }
                sum += value * scale
            }
            return sum
        }
        return true
    }
}
