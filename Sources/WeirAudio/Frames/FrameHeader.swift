// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header at the front of every frame, in a stream that consists of frames only.
///
/// ``FrameSync`` finds frames by their headers: a header says how long a frame is, and whether two
/// frames belong to one stream.
protocol FrameHeader: Sendable {
    /// How many bytes are needed to read a header.
    static var byteCount: Int { get }
    /// The length of the shortest frame in free format, whose header does not state a length.
    static var smallestFreeFrame: Int { get }
    /// The length of the longest frame in free format.
    static var largestFreeFrame: Int { get }

    /// Reads a header; `nil` if it breaks a rule of the format.
    ///
    /// - Parameters:
    ///   - view: bytes, at least ``byteCount`` of them from the offset on.
    ///   - offset: the offset of the header in the view.
    init?(_ view: ByteView, at offset: Int)

    /// Whether a frame with this header can follow a frame with the other in one stream.
    func agrees(with other: Self) -> Bool

    /// Whether this header can belong to a stream that was joined to the stream of the other
    /// header.
    ///
    /// Only the codec must be the same.
    func isAkin(to other: Self) -> Bool

    /// Samples a second.
    var sampleRate: Int { get }

    /// How many headers in a row must agree in a stream about which nothing is known.
    var agreement: Int { get }

    /// Whether the frame is in free format: only a search for the next frame gives its length.
    var isFreeFormat: Bool { get }

    /// The length of the frame.
    ///
    /// - Parameter freeSize: the length of a free-format frame without a padding slot.
    /// - Returns: bytes, with the header; at least the length of the header.
    func frameSize(freeSize: Int) -> Int

    /// How many samples of each channel the frame holds.
    var sampleCount: Int { get }

    /// Whether the frame is consistent; this decides about frames that no following frame confirms.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - earlier: a confirmed header of the same stream; `nil` if there is none yet.
    /// - Returns: whether nothing in the frame contradicts its header.
    func isPlausible(_ frame: ByteView, after earlier: Self?) -> Bool
}
