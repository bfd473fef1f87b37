// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AudioToolbox
import WeirAudio

/// The current packet of a converter, in memory with a fixed address.
///
/// A converter reads the packet until it asks for the next one.
final class PacketFeed {
    /// The status that a converter gets when the packet is used up.
    ///
    /// Success without a packet would mean the end of the stream, after which a converter decodes
    /// nothing more.
    static let isEmpty = OSStatus(bitPattern: CodecDescription.code("more"))

    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
    private let packetDescription = UnsafeMutablePointer<AudioStreamPacketDescription>.allocate(
        capacity: 1
    )
    private var count: UInt32 = 0
    private var channelCount: UInt32 = 0
    private var hasPacket = false

    init() {
        self.packetDescription.initialize(to: AudioStreamPacketDescription())
    }

    deinit {
        self.memory.deallocate()
        self.packetDescription.deallocate()
    }

    /// Stores a packet.
    ///
    /// - Parameters:
    ///   - bytes: the packet; it is copied.
    ///   - channelCount: how many channels it has.
    /// - Returns: `false` for an empty packet, and for a packet of more than 16 MiB.
    func put(_ bytes: ByteMemory, channelCount: UInt32) -> Bool {
        guard !bytes.isEmpty, bytes.count <= 1 << 24, let count = UInt32(exactly: bytes.count)
        else { return false }
        if bytes.count > self.memory.count {
            self.memory.deallocate()
            self.memory = .allocate(byteCount: bytes.count, alignment: 16)
        }
        bytes.withUnsafeBytes { self.memory.copyMemory(from: $0) }
        self.count = count
        self.channelCount = channelCount
        self.packetDescription.pointee = AudioStreamPacketDescription(
            mStartOffset: 0,
            mVariableFramesInPacket: 0,
            mDataByteSize: count
        )
        self.hasPacket = true
        return true
    }

    /// Discards the packet, if it was not used.
    func clear() { self.hasPacket = false }

    /// Passes the packet to a converter, once; see `AudioConverterComplexInputDataProc`.
    static let supply: AudioConverterComplexInputDataProc = {
        _,
        packetCount,
        list,
        descriptions,
        context in
        guard let context else {
            packetCount.pointee = 0
            return PacketFeed.isEmpty
        }
        // The decoder owns the feed, and lends it for the duration of the call.
        let feed = Unmanaged<PacketFeed>.fromOpaque(context).takeUnretainedValue()
        guard feed.hasPacket else {
            packetCount.pointee = 0
            return PacketFeed.isEmpty
        }
        feed.hasPacket = false
        packetCount.pointee = 1
        list.pointee.mNumberBuffers = 1
        list.pointee.mBuffers = AudioBuffer(
            mNumberChannels: feed.channelCount,
            mDataByteSize: feed.count,
            mData: feed.memory.baseAddress
        )
        descriptions?.pointee = feed.packetDescription
        return noErr
    }
}
#endif
