// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses an input twice, whole and in chunks, and checks the parser's promises.
struct StreamTrial {
    /// Limits small enough for an input to exceed them.
    private static let limits = AudioStreamLimits(packet: 1 << 16, tag: 1 << 12, index: 1 << 14)

    /// An event or an error, without the bytes.
    private struct Line: Equatable {
        var event: AudioStreamEvent?
        var error: AudioStreamError?
    }

    private let bytes: [UInt8]
    private let container: AudioContainer?

    init(_ bytes: [UInt8], as container: AudioContainer?) {
        self.bytes = bytes
        self.container = container
    }

    func run() {
        // The first byte sets the chunk sizes of the second parse.
        let seed = self.bytes.first ?? 0
        let stream = ByteMemory(copying: self.bytes.dropFirst())
        let whole = self.parse(stream) { .max }
        var state = UInt64(seed)
        let cut = self.parse(stream) {
            guard seed > 2 else { return Int(seed) + 1 }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % Int(seed) + 1
        }
        precondition(whole == cut, "how the stream was cut made a difference")
    }

    private func parse(_ stream: ByteMemory, size: () -> Int) -> [Line] {
        var parser =
            self.container.map {
                AudioStreamParser(container: $0, length: Int64(stream.count), limits: Self.limits)
            } ?? AudioStreamParser(length: Int64(stream.count), limits: Self.limits)
        var lines: [Line] = []
        var position = 0
        var isFinished = false
        var jumps = 0
        // The number of events is bounded: each event costs a byte of the stream, or is one of a few.
        let most = 64 + stream.count * 4
        while true {
            do throws(AudioStreamError) {
                while let event = try parser.next() {
                    lines.append(Line(event: event))
                    precondition(lines.count <= most, "more events than the stream has bytes")
                    self.check(event, stream)
                    guard case .wanted(let offset) = event else { continue }
                    jumps += 1
                    guard jumps < 100 else { return lines }
                    precondition(offset >= 0, "a place before the first byte")
                    parser.jump(to: offset)
                    position = Int(min(offset, Int64(stream.count)))
                    isFinished = false
                }
            } catch {
                precondition(error.offset >= 0, "an offset before the first byte")
                lines.append(Line(error: error))
                return lines
            }
            if isFinished { return lines }
            if position == stream.count {
                parser.finish()
                isFinished = true
            } else {
                let end = position + min(size(), stream.count - position)
                parser.push(stream[position..<end])
                position = end
            }
        }
    }

    private func check(_ event: AudioStreamEvent, _ stream: ByteMemory) {
        switch event {
        case .packet(let packet):
            precondition(packet.duration >= 0 && packet.trimStart >= 0 && packet.trimEnd >= 0)
            precondition(packet.payload.count <= Self.limits.packet, "longer than the limit")
            precondition(packet.offset >= 0 && packet.offset <= Int64(stream.count))
        case .format(let format):
            precondition(format.sampleRate > 0, "a rate of nothing")
        case .trouble(let trouble):
            precondition(trouble.range.lowerBound >= 0)
        case .tags, .wanted: break
        }
    }
}
