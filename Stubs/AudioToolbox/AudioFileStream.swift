// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A parser.
public typealias AudioFileStreamID = OpaquePointer
/// A property of a parser.
public typealias AudioFileStreamPropertyID = UInt32
/// The type of a file.
public typealias AudioFileTypeID = UInt32

/// Flags that come with a property.
public struct AudioFileStreamPropertyFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Flags.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Flags for parsing.
public struct AudioFileStreamParseFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Flags.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Called for properties.
public typealias AudioFileStream_PropertyListenerProc =
    @Sendable (
        UnsafeMutableRawPointer, AudioFileStreamID, AudioFileStreamPropertyID,
        UnsafeMutablePointer<AudioFileStreamPropertyFlags>
    ) -> Void

/// Called with packets.
public typealias AudioFileStream_PacketsProc =
    @Sendable (
        UnsafeMutableRawPointer, UInt32, UInt32, UnsafeRawPointer,
        UnsafeMutablePointer<AudioStreamPacketDescription>?
    ) -> Void

/// AAC with ADTS headers.
public let kAudioFileAAC_ADTSType: AudioFileTypeID = stubCode("adts")
/// Whether the format is known.
public let kAudioFileStreamProperty_ReadyToProducePackets: AudioFileStreamPropertyID = stubCode(
    "redy"
)
/// The formats that the stream can be decoded as.
public let kAudioFileStreamProperty_FormatList: AudioFileStreamPropertyID = stubCode("flst")

/// A Boolean of Objective-C; on Apple's systems it is part of Foundation.
public struct DarwinBoolean: Sendable {
    /// The value as a Swift `Bool`.
    public var boolValue: Bool

    /// A Boolean.
    public init(_ value: Bool) { self.boolValue = value }
}

/// Makes a parser.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audiofilestreamopen(_:_:_:_:_:)>
public func AudioFileStreamOpen(
    _ inClientData: UnsafeMutableRawPointer?,
    _ inPropertyListenerProc: AudioFileStream_PropertyListenerProc,
    _ inPacketsProc: AudioFileStream_PacketsProc,
    _ inFileTypeHint: AudioFileTypeID,
    _ outAudioFileStream: UnsafeMutablePointer<AudioFileStreamID?>
) -> OSStatus {
    let parser = StubFileStream(StubAudioSystem.current)
    outAudioFileStream.pointee = OpaquePointer(Unmanaged.passRetained(parser).toOpaque())
    return noErr
}

/// Parses the next bytes.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audiofilestreamparsebytes(_:_:_:_:)>
public func AudioFileStreamParseBytes(
    _ inAudioFileStream: AudioFileStreamID,
    _ inDataByteSize: UInt32,
    _ inData: UnsafeRawPointer?,
    _ inFlags: AudioFileStreamParseFlags
) -> OSStatus {
    StubFileStream.of(inAudioFileStream).parse(
        [UInt8](UnsafeRawBufferPointer(start: inData, count: Int(inDataByteSize)))
    )
}

/// The size of a property.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audiofilestreamgetpropertyinfo(_:_:_:_:)>
public func AudioFileStreamGetPropertyInfo(
    _ inAudioFileStream: AudioFileStreamID,
    _ inPropertyID: AudioFileStreamPropertyID,
    _ outPropertyDataSize: UnsafeMutablePointer<UInt32>?,
    _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    guard inPropertyID == kAudioFileStreamProperty_FormatList else {
        return kAudioConverterErr_PropertyNotSupported
    }
    let count = StubFileStream.of(inAudioFileStream).formats.count
    outPropertyDataSize?.pointee = UInt32(count * MemoryLayout<AudioFormatListItem>.stride)
    return noErr
}

/// Reads a property.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audiofilestreamgetproperty(_:_:_:_:)>
public func AudioFileStreamGetProperty(
    _ inAudioFileStream: AudioFileStreamID,
    _ inPropertyID: AudioFileStreamPropertyID,
    _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>,
    _ outPropertyData: UnsafeMutableRawPointer
) -> OSStatus {
    let parser = StubFileStream.of(inAudioFileStream)
    switch inPropertyID {
    case kAudioFileStreamProperty_ReadyToProducePackets:
        outPropertyData.storeBytes(of: parser.isReady ? 1 : 0, as: UInt32.self)
        return noErr
    case kAudioFileStreamProperty_FormatList:
        let items = outPropertyData.assumingMemoryBound(to: AudioFormatListItem.self)
        for (index, format) in parser.formats.enumerated() {
            (items + index).initialize(to: format)
        }
        return noErr
    default: return kAudioConverterErr_PropertyNotSupported
    }
}

/// Releases a parser.
///
/// <https://developer.apple.com/documentation/audiotoolbox/audiofilestreamclose(_:)>
@discardableResult
public func AudioFileStreamClose(_ inAudioFileStream: AudioFileStreamID) -> OSStatus {
    Unmanaged<StubFileStream>.fromOpaque(UnsafeRawPointer(inAudioFileStream)).release()
    return noErr
}
