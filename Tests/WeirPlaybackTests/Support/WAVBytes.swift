// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// WAVE files in memory, of 16 bits.
enum WAVBytes {
    /// A file of samples, channel by channel in each frame; its title is in front of them, or behind them.
    static func file(
        _ samples: [Int16],
        sampleRate: Int = 8000,
        channelCount: Int = 1,
        title: String? = nil,
        isTitleLast: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        func number(_ value: Int, _ width: Int) {
            for index in 0..<width { bytes.append(UInt8((value >> (8 * index)) & 255)) }
        }
        let size = samples.count * 2
        var name: [UInt8] = title.map { Array($0.utf8) + [0] } ?? []
        if name.count % 2 == 1 { name.append(0) }
        let listSize = title == nil ? 0 : 12 + name.count
        bytes += Array("RIFF".utf8)
        number(36 + size + (title == nil ? 0 : 8 + listSize), 4)
        bytes += Array("WAVEfmt ".utf8)
        number(16, 4)
        number(1, 2)
        number(channelCount, 2)
        number(sampleRate, 4)
        number(sampleRate * channelCount * 2, 4)
        number(channelCount * 2, 2)
        number(16, 2)
        func list() {
            guard title != nil else { return }
            bytes += Array("LIST".utf8)
            number(listSize, 4)
            bytes += Array("INFOINAM".utf8)
            number(name.count, 4)
            bytes += name
        }
        if !isTitleLast { list() }
        bytes += Array("data".utf8)
        number(size, 4)
        for sample in samples { number(Int(UInt16(bitPattern: sample)), 2) }
        if isTitleLast { list() }
        return bytes
    }

    /// Samples that show their position: each differs from its neighbours.
    static func ramp(_ range: Range<Int>) -> [Int16] {
        range.map { Int16(truncatingIfNeeded: $0 &* 40503 &+ 17) }
    }
}
