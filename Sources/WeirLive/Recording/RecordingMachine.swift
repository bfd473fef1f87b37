// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Decides which bytes of a station go into which file.
///
/// Pure: takes what a listener gets, and says what to do. What is written are the station's own bytes, none is changed,
/// and a file begins where a packet or a page begins and ends where one ends.
///
/// - MPEG audio, ADTS: a new file at the packet that a new title belongs to; not at a new connection that goes on with
///   the title.
/// - Native FLAC: there too, behind a copy of the stream's header, and at a new connection.
/// - Ogg: where a logical stream begins; at a title of the server's at the next page that begins with a packet, behind
///   a copy of the header pages.
/// - Others: at a new connection.
///
/// What a connection says first of the sound goes for what came before it in that connection, too, as servers say it
/// after some thousand bytes only: these are held until then.
struct RecordingMachine: ~Copyable, Sendable {
    /// How the stream's files are found.
    enum Layout {
        /// Packets stand one after the other.
        case frames
        /// Packets are in pages.
        case pages
        /// Nothing can be cut.
        case whole
        /// There is no stream yet.
        case none
    }

    /// What was said of the beginning of a stretch.
    enum Said: Hashable {
        case nothing
        case title(String?)
    }

    /// How many bytes are held at most while nothing is found in them.
    static let mostHeld = 1 << 20
    /// How many bytes the header of an Ogg or FLAC stream may have.
    static let mostHead = 4 << 20
    /// How far away the first title may be to be waited for.
    static let mostAwaited = 128 << 10

    var steps: [RecordingStep] = []
    var container: AudioContainer?
    /// Bytes before the first stretch belong to no known stream.
    var layout = Layout.none
    var held = StreamBuffer()
    /// What stands before the packets of the present logical stream.
    var head: [UInt8] = []
    var format: AudioFormat?
    /// What the stream's own header says is played.
    var tagTitle: String?
    /// What it says of the logical stream whose first packet comes next.
    var nextTagTitle: String??
    var said = Said.nothing
    /// What the station says of the next packet.
    var waiting: ICYMetadata?
    /// The file that is open.
    private(set) var file: RecordingFile?
    private var number = 0

    // MARK: Frames

    /// Until which byte the first title is waited for; `nil`: it is not.
    var awaited: Int64?
    /// The first packet of the stretch, and the end of the last.
    var firstFrame: Int64?
    var lastEnd: Int64 = 0
    /// Whether it is settled which file the stretch begins in.
    var isSettled = false
    var section = 0

    // MARK: Pages

    var walk = OggPageWalk()
    var waitingPages: [OggPageSpan] = []
    var lastPage: OggPageSpan?
    var link: RecordingLink?
    /// A title to cut at, at the first page from an offset on.
    var awaitedCut: (title: String?, offset: Int64)?

    /// What a listener got next.
    ///
    /// - Returns: what is to be done, in this order.
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

    /// There is no more: the last file ends with the last whole packet.
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

/// A logical stream of Ogg that is recorded.
struct RecordingLink: Sendable {
    /// Where it begins, or where it was joined.
    var start: Int64
    /// Whether its header pages were given with the stretch, and do not lie in its bytes.
    var hasHead = false
    /// Whether its first packet of sound has come, and with it its file.
    var isAudio = false
    /// Its pages before that.
    var pages: [Int64] = []
}

/// What is to be done for a recording.
enum RecordingStep: Hashable, Sendable {
    /// A file begins; none is open.
    case begin(RecordingFile)
    /// The open file goes on with these bytes, and may end behind them.
    case write(ByteMemory)
    /// The open file is whole.
    case end
}
