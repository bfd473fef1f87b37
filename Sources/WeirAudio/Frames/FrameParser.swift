// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of a stream that consists of frames only; each frame becomes a packet.
protocol FrameParser: FormatParser {
    /// The header at the front of a frame.
    associatedtype Header: FrameHeader

    /// The message of the error for a stream without a frame.
    static var noFrame: String { get }

    /// Finds the frames.
    var sync: FrameSync<Header> { get set }
    /// The counts of the frames.
    var tally: FrameTally { get set }
    /// Events to return before the parser goes on.
    var queue: [AudioStreamEvent] { get set }
    /// The last reported format.
    var reported: AudioFormat? { get set }
    /// Whether the parser has continued at another offset at least once.
    var wasDiscontinued: Bool { get }
    /// Whether the end of the stream was seen.
    var isAtEnd: Bool { get set }

    /// Takes the frame at the front, or queues events that must precede it.
    ///
    /// - Parameters:
    ///   - header: the frame's header.
    ///   - size: how many bytes the frame has; the window has them.
    ///   - window: the stream.
    /// - Returns: the packet; `nil` if the frame is not audio, or stays in the window for now.
    /// - Throws: `limit` for a frame that is too long.
    mutating func take(
        _ header: Header,
        _ size: Int,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> AudioPacket?

    /// The format, as far as known now.
    func format(_ header: Header) -> AudioFormat

    /// Handles the end of the stream, at an offset.
    mutating func finish(at end: Int64)
}

extension FrameParser {
    @inline(__always)
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        // Every iteration returns, or takes something from the window or the queue.
        while true {
            if !self.queue.isEmpty { return self.queue.removeFirst() }
            switch self.sync.step(&window) {
            case .frame(let size):
                guard let header = self.sync.header else { return nil }
                if let packet = try self.take(header, size, &window) { return .packet(packet) }
            case .event(let event):
                if case .tags(let tags) = event { self.noticed(tags) }
                return event
            case .needsMore: return nil
            case .ended:
                guard !self.isAtEnd else { return nil }
                self.isAtEnd = true
                self.tally.finished()
                if self.reported == nil, !self.wasDiscontinued {
                    throw AudioStreamError(.ended, at: window.offset, Self.noFrame)
                }
                self.finish(at: window.offset)
            }
        }
    }

    /// Reports the format if it differs from the last reported one.
    mutating func report(_ header: Header) {
        let format = self.format(header)
        guard format != self.reported else { return }
        self.reported = format
        self.queue.append(.format(format))
    }

    mutating func finish(at _: Int64) {
        if let header = self.sync.header, self.reported != nil { self.report(header) }
    }
}

extension AudioStreamError {
    /// A frame is longer than a packet may be.
    static func longFrame(at offset: Int64) -> AudioStreamError {
        AudioStreamError(.limit, at: offset, "A frame is longer than the limit for packets")
    }
}
