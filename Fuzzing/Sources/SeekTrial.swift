// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses the input as a stream, and answers searches with the bytes at the requested ranges.
enum SeekTrial {
    static func run(_ bytes: [UInt8]) {
        let stream = ByteMemory(bytes)
        var parser = AudioStreamParser(length: Int64(bytes.count))
        parser.push(stream)
        parser.finish()
        do throws(AudioStreamError) {
            while let event = try parser.next() {
                guard case .wanted = event else { continue }
                break
            }
        } catch {}
        guard let map = parser.seekMap() else { return }
        for time in [Int64.min, -1, 0, 1, 1000, 44100, 1 << 31, .max] {
            var search = map.search(for: SampleCount(time))
            var looks = 0
            while case .read(let range) = search.step {
                looks += 1
                precondition(looks <= 24, "a search without end")
                precondition(range.lowerBound >= 0 && range.count <= 64 << 10)
                let lower = Int(min(range.lowerBound, Int64(stream.count)))
                let upper = Int(min(range.upperBound, Int64(stream.count)))
                search.read(stream[lower..<upper])
            }
        }
        for offset in [Int64.min, -1, 0, 1, 1000, Int64(stream.count), .max] {
            _ = map.time(at: offset)
        }
    }
}
