// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The structures and numbers of CoreAudioTypes; on Apple's systems AudioToolbox re-exports them.

/// The result of a call: 0, or an error code.
public typealias OSStatus = Int32
/// Four letters that name a format.
public typealias AudioFormatID = UInt32
/// Flags with a meaning for each format.
public typealias AudioFormatFlags = UInt32
/// The arrangement of channels.
public typealias AudioChannelLayoutTag = UInt32

/// Success.
public let noErr: OSStatus = 0

/// Uncompressed samples.
public let kAudioFormatLinearPCM: AudioFormatID = stubCode("lpcm")
/// AAC with spectral band replication.
public let kAudioFormatMPEG4AAC_HE: AudioFormatID = stubCode("aach")
/// AAC with spectral band replication and parametric stereo.
public let kAudioFormatMPEG4AAC_HE_V2: AudioFormatID = stubCode("aacp")

/// Samples are floating-point numbers.
public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1 << 0
/// Samples use all bits of their fields.
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 1 << 3

/// L R C.
public let kAudioChannelLayoutTag_WAVE_3_0: AudioChannelLayoutTag = 113 << 16 | 3
/// L R Rls Rrs.
public let kAudioChannelLayoutTag_WAVE_4_0_B: AudioChannelLayoutTag = 185 << 16 | 4
/// L R C Ls Rs.
public let kAudioChannelLayoutTag_WAVE_5_0_A: AudioChannelLayoutTag = 117 << 16 | 5
/// L R C LFE Ls Rs.
public let kAudioChannelLayoutTag_WAVE_5_1_A: AudioChannelLayoutTag = 121 << 16 | 6
/// L R C LFE Cs Ls Rs.
public let kAudioChannelLayoutTag_WAVE_6_1: AudioChannelLayoutTag = 188 << 16 | 7
/// L R C LFE Rls Rrs Ls Rs.
public let kAudioChannelLayoutTag_WAVE_7_1: AudioChannelLayoutTag = 189 << 16 | 8

/// The format of an audio stream in memory.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiostreambasicdescription>
public struct AudioStreamBasicDescription: Sendable {
    /// Frames a second.
    public var mSampleRate: Double = 0
    /// The format.
    public var mFormatID: AudioFormatID = 0
    /// The flags of the format.
    public var mFormatFlags: AudioFormatFlags = 0
    /// Bytes of a packet; 0 if this varies.
    public var mBytesPerPacket: UInt32 = 0
    /// Frames of a packet; 0 if this varies.
    public var mFramesPerPacket: UInt32 = 0
    /// Bytes of a frame; 0 if the format has no frames.
    public var mBytesPerFrame: UInt32 = 0
    /// Channels of a frame.
    public var mChannelsPerFrame: UInt32 = 0
    /// Bits of a sample.
    public var mBitsPerChannel: UInt32 = 0
    /// Unused.
    public var mReserved: UInt32 = 0

    /// An empty description.
    public init() {}

    /// A description with all fields.
    public init(
        mSampleRate: Double,
        mFormatID: AudioFormatID,
        mFormatFlags: AudioFormatFlags,
        mBytesPerPacket: UInt32,
        mFramesPerPacket: UInt32,
        mBytesPerFrame: UInt32,
        mChannelsPerFrame: UInt32,
        mBitsPerChannel: UInt32,
        mReserved: UInt32
    ) {
        self.mSampleRate = mSampleRate
        self.mFormatID = mFormatID
        self.mFormatFlags = mFormatFlags
        self.mBytesPerPacket = mBytesPerPacket
        self.mFramesPerPacket = mFramesPerPacket
        self.mBytesPerFrame = mBytesPerFrame
        self.mChannelsPerFrame = mChannelsPerFrame
        self.mBitsPerChannel = mBitsPerChannel
        self.mReserved = mReserved
    }
}

/// The position of a packet.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiostreampacketdescription>
public struct AudioStreamPacketDescription: Sendable {
    /// Its first byte.
    public var mStartOffset: Int64 = 0
    /// How many frames the packet has, if this varies; otherwise 0.
    public var mVariableFramesInPacket: UInt32 = 0
    /// How many bytes it has.
    public var mDataByteSize: UInt32 = 0

    /// An empty description.
    public init() {}

    /// A description with all fields.
    public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) {
        self.mStartOffset = mStartOffset
        self.mVariableFramesInPacket = mVariableFramesInPacket
        self.mDataByteSize = mDataByteSize
    }
}

/// Memory for samples, or for packets.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiobuffer>
public struct AudioBuffer {
    /// How many channels the buffer has, interleaved.
    public var mNumberChannels: UInt32 = 0
    /// How many bytes it has.
    public var mDataByteSize: UInt32 = 0
    /// The bytes.
    public var mData: UnsafeMutableRawPointer?

    /// An empty buffer.
    public init() {}

    /// A buffer with all fields.
    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
        self.mNumberChannels = mNumberChannels
        self.mDataByteSize = mDataByteSize
        self.mData = mData
    }
}

/// A list of buffers; Swift sees only the first.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiobufferlist>
public struct AudioBufferList {
    /// The number of buffers.
    public var mNumberBuffers: UInt32 = 0
    /// The first buffer.
    public var mBuffers = AudioBuffer()

    /// An empty list.
    public init() {}

    /// A list with all fields.
    public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
        self.mNumberBuffers = mNumberBuffers
        self.mBuffers = mBuffers
    }
}

/// A format that a stream can be decoded as.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioformatlistitem>
public struct AudioFormatListItem: Sendable {
    /// The format.
    public var mASBD = AudioStreamBasicDescription()
    /// Its channels.
    public var mChannelLayoutTag: AudioChannelLayoutTag = 0

    /// An empty item.
    public init() {}

    /// An item with all fields.
    public init(mASBD: AudioStreamBasicDescription, mChannelLayoutTag: AudioChannelLayoutTag) {
        self.mASBD = mASBD
        self.mChannelLayoutTag = mChannelLayoutTag
    }
}
