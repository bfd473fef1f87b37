// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header at the front of every frame, in a stream that consists of frames only.
///
/// ``FrameSync`` finds frames with it: the header says how long a frame is, and whether two frames belong to one
/// stream.
protocol FrameHeader: Sendable {
    /// How many bytes are needed to read a header.
    static var byteCount: Int { get }
    /// The shortest frame whose header does not state its length; frames may not be shorter.
    static var smallestFreeFrame: Int { get }
    /// The longest frame whose header does not state its length.
    static var largestFreeFrame: Int { get }

    /// Reads a header; `nil` if it breaks a rule of the format.
    ///
    /// - Parameters:
    ///   - view: bytes, at least ``byteCount`` of them from the offset on.
    ///   - offset: the offset of the header in the view.
    init?(_ view: ByteView, at offset: Int)

    /// Whether a frame with this header can follow a frame with the other in one stream.
    func agrees(with other: Self) -> Bool

    /// Whether this header can belong to a stream that was joined to the other's: all but the codec may differ.
    func isAkin(to other: Self) -> Bool

    /// Samples a second.
    var sampleRate: Int { get }

    /// How many headers in a row must agree in a stream about which nothing is known.
    var agreement: Int { get }

    /// Whether only a search for the next frame gives the length of this one.
    var isFreeFormat: Bool { get }

    /// The length of the frame.
    ///
    /// - Parameter freeSize: the length of a free-format frame without a padding slot.
    /// - Returns: bytes, with the header; at least the length of the header.
    func frameSize(freeSize: Int) -> Int

    /// How many samples of each channel the frame holds.
    var sampleCount: Int { get }

    /// Whether the frame is consistent; decides about frames that no following frame confirms.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - earlier: a confirmed header of the same stream; `nil` if there is none yet.
    /// - Returns: whether nothing in the frame contradicts its header.
    func isPlausible(_ frame: ByteView, after earlier: Self?) -> Bool
}
