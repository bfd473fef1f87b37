// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAudio

/// A file in memory, and its container if the parser recognises it.
struct TrialFile {
    let name: String
    let bytes: ByteMemory
    let container: AudioContainer?

    /// Reads a file.
    init(_ path: String) throws {
        self.name = String(path.split(separator: "/").last ?? "")
        self.bytes = ByteMemory(copying: try Data(contentsOf: URL(fileURLWithPath: path)))
        var parser = AudioStreamParser(length: Int64(self.bytes.count))
        parser.push(self.bytes)
        parser.finish()
        while parser.container == nil, try parser.next() != nil {}
        self.container = parser.container
    }

    /// Creates a trial file from bytes in memory.
    init(name: String, bytes: ByteMemory, container: AudioContainer?) {
        self.name = name
        self.bytes = bytes
        self.container = container
    }

    /// The properties of a packet that trials compare.
    struct Mark: Hashable {
        var offset: Int64
        var size: Int
        var start: Int64
        var duration: Int64
        var hash: UInt64

        init(_ packet: AudioPacket) {
            self.offset = packet.offset
            self.size = packet.payload.count
            self.start = packet.start.rawValue
            self.duration = packet.duration.rawValue
            self.hash = packet.payload.withUnsafeBytes { Self.hash($0) }
        }

        /// Similar to FNV-1a, but hashes eight bytes at a time, with a shift after each eight.
        private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            var index = 0
            while index + 8 <= bytes.count {
                hash =
                    (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    &* 0x100_0000_01b3
                hash ^= hash >> 29
                index += 8
            }
            while index < bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
                index += 1
            }
            return hash
        }
    }

    /// Parses up to a number of packets or the end; if the parser wants another offset, continues
    /// there.
    ///
    /// - Parameters:
    ///   - parser: a parser that expects the byte at `start` next.
    ///   - start: the offset of the first byte to push.
    ///   - most: the number of packets after which parsing stops.
    ///   - size: gives the size of the next piece.
    ///   - take: is called for every packet.
    /// - Returns: the error that ended the parsing; `nil` at the end or after `most` packets.
    func parse(
        _ parser: inout AudioStreamParser,
        from start: Int64 = 0,
        most: Int = .max,
        size: () -> Int = { .max },
        take: (AudioPacket) -> Void
    ) -> AudioStreamError? {
        var position = Int(start)
        var isFinished = false
        var count = 0
        do throws(AudioStreamError) {
            while true {
                while let event = try parser.next() {
                    switch event {
                    case .packet(let packet):
                        take(packet)
                        count += 1
                        if count == most { return nil }
                    case .wanted(let offset):
                        parser.jump(to: offset)
                        position = Int(min(offset, Int64(self.bytes.count)))
                        isFinished = false
                    default: break
                    }
                }
                if isFinished { return nil }
                if position == self.bytes.count {
                    parser.finish()
                    isFinished = true
                } else {
                    let end = position + min(max(1, size()), self.bytes.count - position)
                    parser.push(self.bytes[position..<end])
                    position = end
                }
            }
        } catch {
            return error
        }
    }

    /// A parser at the start of the file.
    func parser() -> AudioStreamParser { AudioStreamParser(length: Int64(self.bytes.count)) }

    /// The marks of all packets, and the error that ended the parsing, if any.
    func packets(size: () -> Int = { .max }) -> (marks: [Mark], error: AudioStreamError?) {
        var marks: [Mark] = []
        var parser = self.parser()
        let error = self.parse(&parser, size: size) { marks.append(Mark($0)) }
        return (marks, error)
    }
}
