// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A converter.
public typealias AudioConverterRef = OpaquePointer
/// A property of a converter.
public typealias AudioConverterPropertyID = UInt32

/// Supplies a converter with input.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconvertercomplexinputdataproc>
public typealias AudioConverterComplexInputDataProc =
    @Sendable (
        AudioConverterRef,
        UnsafeMutablePointer<UInt32>,
        UnsafeMutablePointer<AudioBufferList>,
        UnsafeMutablePointer<UnsafeMutablePointer<AudioStreamPacketDescription>?>?,
        UnsafeMutableRawPointer?
    ) -> OSStatus

/// The decoder configuration of a stream.
public let kAudioConverterDecompressionMagicCookie: AudioConverterPropertyID = stubCode("dmgc")
/// How input at the beginning and the end is treated.
public let kAudioConverterPrimeMethod: AudioConverterPropertyID = stubCode("prmm")
/// How many frames are trimmed.
public let kAudioConverterPrimeInfo: AudioConverterPropertyID = stubCode("prim")
/// Nothing is trimmed.
public let kConverterPrimeMethod_None: UInt32 = 2

/// The formats cannot be converted.
public let kAudioConverterErr_FormatNotSupported = OSStatus(bitPattern: stubCode("fmt?"))
/// The operation is not supported.
public let kAudioConverterErr_OperationNotSupported: OSStatus = 0x6F70_3F3F
/// The property is unknown.
public let kAudioConverterErr_PropertyNotSupported = OSStatus(bitPattern: stubCode("prop"))
/// Another error.
public let kAudioConverterErr_UnspecifiedError = OSStatus(bitPattern: stubCode("what"))
/// Packet descriptions are missing.
public let kAudioConverterErr_RequiresPacketDescriptionsError = OSStatus(
    bitPattern: stubCode("!pkd")
)
/// The codec does not allow this operation now.
public let kAudioCodecIllegalOperationError = OSStatus(bitPattern: stubCode("nope"))
/// The codec is in a wrong state.
public let kAudioCodecStateError = OSStatus(bitPattern: stubCode("!stt"))
/// The codec cannot read the data.
public let kAudioCodecBadDataError = OSStatus(bitPattern: stubCode("bada"))

/// The numbers of trimmed frames.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconverterprimeinfo>
public struct AudioConverterPrimeInfo: Sendable {
    /// Frames at the beginning.
    public var leadingFrames: UInt32 = 0
    /// Frames at the end.
    public var trailingFrames: UInt32 = 0

    /// No frames.
    public init() {}

    /// Frames at both ends.
    public init(leadingFrames: UInt32, trailingFrames: UInt32) {
        self.leadingFrames = leadingFrames
        self.trailingFrames = trailingFrames
    }
}

/// Makes a converter.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconverternew(_:_:_:)>
public func AudioConverterNew(
    _ inSourceFormat: UnsafePointer<AudioStreamBasicDescription>,
    _ inDestinationFormat: UnsafePointer<AudioStreamBasicDescription>,
    _ outAudioConverter: UnsafeMutablePointer<AudioConverterRef?>
) -> OSStatus {
    let system = StubAudioSystem.current
    let source = inSourceFormat.pointee
    if system.refusedFormats.contains(source.mFormatID) {
        return kAudioConverterErr_FormatNotSupported
    }
    let sound = inDestinationFormat.pointee
    if sound.mFormatID != kAudioFormatLinearPCM || sound.mSampleRate != source.mSampleRate
        || sound.mChannelsPerFrame != source.mChannelsPerFrame || source.mFramesPerPacket == 0
        || sound.mBytesPerFrame != 4 * sound.mChannelsPerFrame
    {
        system.violate("The formats are not such as the stub converts")
        return kAudioConverterErr_FormatNotSupported
    }
    let converter = StubConverter(system, source)
    outAudioConverter.pointee = OpaquePointer(Unmanaged.passRetained(converter).toOpaque())
    return noErr
}

/// Releases a converter.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconverterdispose(_:)>
@discardableResult
public func AudioConverterDispose(_ inAudioConverter: AudioConverterRef) -> OSStatus {
    let reference = Unmanaged<StubConverter>.fromOpaque(UnsafeRawPointer(inAudioConverter))
    reference.takeUnretainedValue().dispose()
    reference.release()
    return noErr
}

/// Resets a converter's state.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconverterreset(_:)>
@discardableResult
public func AudioConverterReset(_ inAudioConverter: AudioConverterRef) -> OSStatus {
    StubConverter.of(inAudioConverter).reset()
    return noErr
}

/// Sets a property.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconvertersetproperty(_:_:_:_:)>
@discardableResult
public func AudioConverterSetProperty(
    _ inAudioConverter: AudioConverterRef,
    _ inPropertyID: AudioConverterPropertyID,
    _ inPropertyDataSize: UInt32,
    _ inPropertyData: UnsafeRawPointer
) -> OSStatus {
    let bytes = [UInt8](
        UnsafeRawBufferPointer(start: inPropertyData, count: Int(inPropertyDataSize))
    )
    return StubConverter.of(inAudioConverter).set(inPropertyID, bytes)
}

/// Converts the input from a procedure.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audioconverterfillcomplexbuffer(_:_:_:_:_:_:)>
public func AudioConverterFillComplexBuffer(
    _ inAudioConverter: AudioConverterRef,
    _ inInputDataProc: AudioConverterComplexInputDataProc,
    _ inInputDataProcUserData: UnsafeMutableRawPointer?,
    _ ioOutputDataPacketSize: UnsafeMutablePointer<UInt32>,
    _ outOutputData: UnsafeMutablePointer<AudioBufferList>,
    _ outPacketDescription: UnsafeMutablePointer<AudioStreamPacketDescription>?
) -> OSStatus {
    let converter = StubConverter.of(inAudioConverter)
    let wanted = Int(ioOutputDataPacketSize.pointee)
    ioOutputDataPacketSize.pointee = 0
    let needed = wanted * Int(converter.source.mChannelsPerFrame) * 4
    guard Int(outOutputData.pointee.mBuffers.mDataByteSize) >= needed,
        let memory = outOutputData.pointee.mBuffers.mData
    else {
        converter.system.violate("The memory for the sound is smaller than what was asked for")
        return kAudioConverterErr_UnspecifiedError
    }
    let (status, samples) = converter.fill(wanted) { count, list, description in
        inInputDataProc(inAudioConverter, count, list, description, inInputDataProcUserData)
    }
    samples.withUnsafeBytes {
        memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count)
    }
    let frames = samples.count / Int(converter.source.mChannelsPerFrame)
    ioOutputDataPacketSize.pointee = UInt32(frames)
    outOutputData.pointee.mBuffers.mDataByteSize = UInt32(samples.count * 4)
    return status
}
