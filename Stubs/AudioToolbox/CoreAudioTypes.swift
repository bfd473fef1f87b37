// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Of CoreAudioTypes, the structures and numbers; on Apple's systems AudioToolbox re-exports them.

/// The result of a call: 0, or what went wrong.
public typealias OSStatus = Int32
/// Four letters that name a format.
public typealias AudioFormatID = UInt32
/// What a format makes of flags.
public typealias AudioFormatFlags = UInt32
/// How channels are arranged.
public typealias AudioChannelLayoutTag = UInt32

/// All went well.
public let noErr: OSStatus = 0

/// Uncompressed samples.
public let kAudioFormatLinearPCM: AudioFormatID = stubCode("lpcm")
/// AAC with spectral band replication.
public let kAudioFormatMPEG4AAC_HE: AudioFormatID = stubCode("aach")
/// AAC with spectral band replication and parametric stereo.
public let kAudioFormatMPEG4AAC_HE_V2: AudioFormatID = stubCode("aacp")

/// Samples are floating-point numbers.
public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1 << 0
/// Samples fill the bits that they have.
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

/// How a stream of audio lies in memory.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiostreambasicdescription>
public struct AudioStreamBasicDescription: Sendable {
    /// Frames a second.
    public var mSampleRate: Double = 0
    /// Which format.
    public var mFormatID: AudioFormatID = 0
    /// What the format makes of flags.
    public var mFormatFlags: AudioFormatFlags = 0
    /// Bytes of a packet; 0 where that varies.
    public var mBytesPerPacket: UInt32 = 0
    /// Frames of a packet; 0 where that varies.
    public var mFramesPerPacket: UInt32 = 0
    /// Bytes of a frame; 0 where there are none.
    public var mBytesPerFrame: UInt32 = 0
    /// Channels of a frame.
    public var mChannelsPerFrame: UInt32 = 0
    /// Bits of a sample.
    public var mBitsPerChannel: UInt32 = 0
    /// Nothing.
    public var mReserved: UInt32 = 0

    /// Nothing known.
    public init() {}

    /// All of it.
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

/// Where a packet lies.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiostreampacketdescription>
public struct AudioStreamPacketDescription: Sendable {
    /// Its first byte.
    public var mStartOffset: Int64 = 0
    /// How many frames it has, where that varies; else 0.
    public var mVariableFramesInPacket: UInt32 = 0
    /// How many bytes it has.
    public var mDataByteSize: UInt32 = 0

    /// Nothing known.
    public init() {}

    /// All of it.
    public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) {
        self.mStartOffset = mStartOffset
        self.mVariableFramesInPacket = mVariableFramesInPacket
        self.mDataByteSize = mDataByteSize
    }
}

/// Memory with samples, or packets.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiobuffer>
public struct AudioBuffer {
    /// How many channels lie in it, interleaved.
    public var mNumberChannels: UInt32 = 0
    /// How many bytes it has.
    public var mDataByteSize: UInt32 = 0
    /// The bytes.
    public var mData: UnsafeMutableRawPointer?

    /// None.
    public init() {}

    /// All of it.
    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
        self.mNumberChannels = mNumberChannels
        self.mDataByteSize = mDataByteSize
        self.mData = mData
    }
}

/// A number of buffers, of which Swift sees the first.
///
/// <https://developer.apple.com/documentation/coreaudiotypes/audiobufferlist>
public struct AudioBufferList {
    /// How many.
    public var mNumberBuffers: UInt32 = 0
    /// The first.
    public var mBuffers = AudioBuffer()

    /// None.
    public init() {}

    /// All of it.
    public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
        self.mNumberBuffers = mNumberBuffers
        self.mBuffers = mBuffers
    }
}

/// One way of decoding a stream.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioformatlistitem>
public struct AudioFormatListItem: Sendable {
    /// The format.
    public var mASBD = AudioStreamBasicDescription()
    /// Its channels.
    public var mChannelLayoutTag: AudioChannelLayoutTag = 0

    /// Nothing known.
    public init() {}

    /// All of it.
    public init(mASBD: AudioStreamBasicDescription, mChannelLayoutTag: AudioChannelLayoutTag) {
        self.mASBD = mASBD
        self.mChannelLayoutTag = mChannelLayoutTag
    }
}
