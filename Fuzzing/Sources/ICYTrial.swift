// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses the input as a radio stream, whole and byte by byte; its first byte sets the interval.
enum ICYTrial {
    static func run(_ bytes: [UInt8]) {
        let interval = Int(bytes.first ?? 0) + 1
        let stream = ByteMemory(copying: bytes.dropFirst())
        let whole = self.parse(stream, interval: interval, size: max(1, stream.count))
        let single = self.parse(stream, interval: interval, size: 1)
        precondition(whole.audio == single.audio, "how the stream was cut made a difference")
        precondition(whole.titles == single.titles, "how the stream was cut made a difference")
    }

    private static func parse(
        _ stream: ByteMemory,
        interval: Int,
        size: Int
    ) -> (audio: [UInt8], titles: [String?]) {
        guard var parser = ICYDemultiplexer(interval: interval) else { return ([], []) }
        var audio: [UInt8] = []
        var titles: [String?] = []
        var position = 0
        while position < stream.count {
            let end = min(position + size, stream.count)
            parser.push(stream[position..<end])
            position = end
            while let piece = parser.next() {
                switch piece {
                case .audio(let bytes, _): audio += bytes.array
                case .metadata(let metadata): titles.append(metadata.title)
                }
            }
        }
        return (audio, titles)
    }
}
