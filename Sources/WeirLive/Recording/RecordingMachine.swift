// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Decides which bytes of a station go into which file.
///
/// Pure: it takes a listener's pieces, and returns steps. The files contain the station's own
/// bytes, unchanged. A file begins at the start of a packet or page, and ends at the end of one.
///
/// - MPEG audio, ADTS: a new file at the packet where a new title begins. A new connection with the
///   same title continues the file.
/// - Native FLAC: also at a new title, with a copy of the stream's header in front, and at a new
///   connection.
/// - Ogg: where a logical stream begins. At a title from the server: at the next page that begins
///   with a packet, with a copy of the header pages in front.
/// - Others: at a new connection.
///
/// The first title of a connection also applies to the sound before the title, since servers send
/// it only after some thousand bytes. The machine holds these bytes until the title comes.
struct RecordingMachine: ~Copyable, Sendable {
    /// How the stream is cut into files.
    enum Layout {
        /// Packets follow each other.
        case frames
        /// Packets are in pages.
        case pages
        /// The stream cannot be cut.
        case whole
        /// There is no stream yet.
        case none
    }

    /// The title that was announced for the beginning of a stretch.
    enum Said: Hashable {
        case nothing
        case title(String?)
    }

    /// How many of the newest bytes stay while no packet is found.
    ///
    /// The machine drops the older bytes when it holds twice as many.
    static let mostHeld = 1 << 20
    /// How many bytes the header of an Ogg stream may have.
    static let mostHead = 4 << 20
    /// The machine waits for the first title if it comes within this many bytes.
    static let mostAwaited = 128 << 10

    var steps: [RecordingStep] = []
    var container: AudioContainer?
    /// Bytes before the first stretch belong to no known stream.
    var layout = Layout.none
    var held = StreamBuffer()
    /// The header before the packets of the current logical stream.
    var head: [UInt8] = []
    var format: AudioFormat?
    /// The title in the stream's own header.
    var tagTitle: String?
    /// The title in the header of the logical stream whose first packet comes next.
    var nextTagTitle: String??
    var said = Said.nothing
    /// The station's metadata for the next packet.
    var waiting: ICYMetadata?
    /// The open file.
    private(set) var file: RecordingFile?
    private var number = 0

    // MARK: Frames

    /// The byte up to which the machine waits for the first title; `nil`: it does not wait.
    var awaited: Int64?
    /// The offset of the stretch's first packet, and the end of its last packet.
    var firstFrame: Int64?
    var lastEnd: Int64 = 0
    /// Whether the machine has decided in which file the stretch begins.
    var isSettled = false
    var section = 0

    // MARK: Pages

    var walk = OggPageWalk()
    var waitingPages: [OggPageSpan] = []
    var lastPage: OggPageSpan?
    var link: RecordingLink?
    /// A pending title: its file begins at the first suitable page from this offset on.
    var awaitedCut: (title: String?, offset: Int64)?

    /// Takes the listener's next piece.
    ///
    /// - Returns: the steps to perform, in this order.
    mutating func take(_ sound: StationSound) -> [RecordingStep] {
        switch sound {
        case .stretch(let stretch):
            self.endStretch()
            self.begin(stretch)
        case .sign(.format(let format)): self.format = format
        case .sign(.tags(let tags)): self.noticed(tags)
        case .sign(.trouble): break
        case .metadata(let metadata): self.take(metadata)
        case .packets(let packets): self.take(packets)
        }
        defer { self.steps = [] }
        return self.steps
    }

    /// Ends the recording: the last file ends with the last complete packet.
    mutating func finish() -> [RecordingStep] {
        self.endStretch()
        self.endFile()
        defer { self.steps = [] }
        return self.steps
    }

    // MARK: Files

    mutating func beginFile(_ title: String?) {
        self.endFile()
        self.number += 1
        let file = RecordingFile(
            number: self.number,
            title: title,
            fileExtension: RecordingFile.fileExtension(
                of: self.container,
                self.format?.codec
            )
        )
        self.file = file
        self.steps.append(.begin(file))
    }

    mutating func write(_ bytes: ByteMemory) {
        if self.file != nil, !bytes.isEmpty { self.steps.append(.write(bytes)) }
    }

    mutating func endFile() {
        if self.file != nil { self.steps.append(.end) }
        self.file = nil
    }
}

/// A logical Ogg stream in a recording.
struct RecordingLink: Sendable {
    /// The offset where it begins, or where it was joined.
    var start: Int64
    /// Whether its header pages came with the stretch, and are not among its bytes.
    var hasHead = false
    /// Whether its first audio packet has arrived and its file has begun.
    var isAudio = false
    /// The offsets of its pages before its first audio packet.
    var pages: [Int64] = []
}

/// A step of a recording.
enum RecordingStep: Hashable, Sendable {
    /// Begin a file; none is open.
    case begin(RecordingFile)
    /// Append these bytes to the open file; the file may end after them.
    case write(ByteMemory)
    /// The open file is complete.
    case end
}
