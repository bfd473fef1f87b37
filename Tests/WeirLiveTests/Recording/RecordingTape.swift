// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

@testable import WeirLive

/// A listener's input, for a recording.
struct RecordingTape {
    /// A file that the recording made.
    struct Recorded: Equatable {
        var file: RecordingFile
        var bytes: [UInt8] = []
        var isWhole = false
    }

    /// The pieces for a listener of bytes.
    var pieces: [StationPiece] = []
    var end: Int64
    /// The most bytes that arrive at once.
    var chunk: Int

    init(chunk: Int = 1000, startingAt offset: Int64 = 0) {
        self.chunk = chunk
        self.end = offset
    }

    mutating func connect(
        _ cause: StreamStretch.Cause = .joined,
        type: String? = nil,
        container: AudioContainer? = nil,
        interval: Int? = nil,
        title: String? = nil,
        head: [UInt8] = [],
        headOffset: Int64 = 0
    ) {
        let fields = interval.map { [("icy-metaint", "\($0)")] } ?? []
        let info = StationInfo(headers: ICYHeaders(fields), mediaType: type, display: "there")
        let stretch = StreamStretch(
            cause: cause,
            info: info,
            container: container,
            head: ByteMemory(head),
            headOffset: headOffset,
            offset: self.end,
            metadata: title.map { Self.metadata($0, self.end) }
        )
        self.pieces.append(.stretch(stretch))
    }

    mutating func play(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(self.chunk)
            self.pieces.append(.audio(ByteMemory(Array(piece))))
            self.end += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
        }
    }

    mutating func title(_ text: String) {
        self.pieces.append(.metadata(Self.metadata(text, self.end)))
    }

    static func metadata(_ title: String, _ offset: Int64) -> ICYMetadata {
        ICYMetadata(ByteMemory(Array("StreamTitle='\(title)';".utf8)), audioOffset: offset)
    }

    /// The same input for a listener of packets.
    var sounds: [StationSound] { TapeFeed.sounds(of: self.pieces) }

    /// The files that a recording machine makes.
    ///
    /// - Parameter sounds: the machine's input; `nil` for all of it.
    /// - Returns: the files, whole, in their order.
    func recorded(_ sounds: [StationSound]? = nil) -> [Recorded] {
        var machine = RecordingMachine()
        var files: [Recorded] = []
        var isOpen = false
        var isSound = true
        func perform(_ steps: [RecordingStep]) {
            for step in steps {
                switch step {
                case .begin(let file):
                    isSound = isSound && !isOpen
                    isOpen = true
                    files.append(Recorded(file: file))
                case .write(let bytes):
                    isSound = isSound && isOpen
                    files[files.count - 1].bytes += bytes.array
                case .end:
                    isSound = isSound && isOpen
                    isOpen = false
                    files[files.count - 1].isWhole = true
                }
            }
        }
        for sound in sounds ?? self.sounds { perform(machine.take(sound)) }
        perform(machine.finish())
        precondition(isSound && !isOpen, "a machine writes to files that are open, and ends them")
        return files
    }
}
