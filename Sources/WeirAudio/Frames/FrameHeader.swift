// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What stands at the front of every frame in a stream that is nothing but frames.
///
/// ``FrameSync`` finds frames with it: it says how long a frame is, and whether two belong to one stream.
protocol FrameHeader: Sendable {
    /// How many bytes have to be there to read one.
    static var byteCount: Int { get }
    /// The shortest frame of which the length is not in the header; frames may not be shorter.
    static var smallestFreeFrame: Int { get }
    /// The longest frame of which the length is not in the header.
    static var largestFreeFrame: Int { get }

    /// Reads a header; `nil` if it breaks a rule of the format.
    ///
    /// - Parameters:
    ///   - view: bytes, at least ``byteCount`` of them from the offset on.
    ///   - offset: where the header is in the view.
    init?(_ view: ByteView, at offset: Int)

    /// Whether a frame with this header can follow one with the other in one stream.
    func agrees(with other: Self) -> Bool

    /// Whether a frame with this header can be of a stream that was joined on: all but what the codec is may differ.
    func isAkin(to other: Self) -> Bool

    /// Samples a second.
    var sampleRate: Int { get }

    /// How many headers in a row have to agree in a stream of which nothing is known before they are believed.
    var agreement: Int { get }

    /// Whether the length of the frame is to be found by looking for the next one.
    var isFreeFormat: Bool { get }

    /// How long the frame is.
    ///
    /// - Parameter freeSize: what a frame in free format has without a padding slot.
    /// - Returns: bytes, the header included; at least as many as it has.
    func frameSize(freeSize: Int) -> Int

    /// How many samples of each channel the frame holds.
    var sampleCount: Int { get }

    /// Whether the frame is sound in itself, for those that no following one confirms.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - earlier: a header of the same stream that is beyond doubt; `nil` if there is none.
    /// - Returns: whether nothing in it contradicts that it is one.
    func isPlausible(_ frame: ByteView, after earlier: Self?) -> Bool
}
