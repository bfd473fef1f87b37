// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A converter that makes the number of frames of its format from each packet.
///
/// A sample is the packet's first byte divided by 256, plus the number of its channel.
final class StubConverter {
    typealias Supply = (
        UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<AudioBufferList>,
        UnsafeMutablePointer<UnsafeMutablePointer<AudioStreamPacketDescription>?>
    ) -> OSStatus

    let system: StubAudioSystem
    let source: AudioStreamBasicDescription
    private let index: Int
    private var samples: [Float] = []
    private var toDrop: Int
    private var isAtEnd = false

    init(_ system: StubAudioSystem, _ source: AudioStreamBasicDescription) {
        self.system = system
        self.source = source
        self.index = system.made(source)
        self.toDrop = system.droppedFrames * Int(source.mChannelsPerFrame)
    }

    static func of(_ reference: AudioConverterRef) -> StubConverter {
        Unmanaged<StubConverter>.fromOpaque(UnsafeRawPointer(reference)).takeUnretainedValue()
    }

    func dispose() { self.system.note(self.index) { $0.isDisposed = true } }

    func reset() {
        self.system.note(self.index) { $0.resets += 1 }
        self.samples = []
        self.toDrop = self.system.droppedFrames * Int(self.source.mChannelsPerFrame)
        self.isAtEnd = false
    }

    func set(_ property: UInt32, _ bytes: [UInt8]) -> OSStatus {
        switch property {
        case kAudioConverterDecompressionMagicCookie:
            self.system.note(self.index) { $0.cookies.append(bytes) }
            return self.system.takesCookie(bytes) ? noErr : kAudioConverterErr_UnspecifiedError
        // Some real codecs do not support this property.
        case kAudioConverterPrimeMethod: return kAudioConverterErr_PropertyNotSupported
        case kAudioConverterPrimeInfo: return noErr
        default: return kAudioConverterErr_PropertyNotSupported
        }
    }

    /// Makes a number of frames, or fewer if the supply ends.
    func fill(_ frames: Int, _ supply: Supply) -> (OSStatus, [Float]) {
        let wanted = frames * Int(self.source.mChannelsPerFrame)
        var status = noErr
        while self.samples.count < wanted, !self.isAtEnd {
            status = self.decode(supply)
            if status != noErr { break }
        }
        let given = Array(self.samples.prefix(wanted))
        self.samples.removeFirst(given.count)
        return (status, given)
    }

    private func decode(_ supply: Supply) -> OSStatus {
        var count: UInt32 = 1
        var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer())
        var description: UnsafeMutablePointer<AudioStreamPacketDescription>?
        let status = supply(&count, &list, &description)
        if status != noErr {
            if count != 0 { self.system.violate("Packets were given along with an error") }
            return status
        }
        guard count > 0 else {
            self.isAtEnd = true
            return noErr
        }
        guard let description = description?.pointee, let data = list.mBuffers.mData else {
            return kAudioConverterErr_RequiresPacketDescriptionsError
        }
        if description.mDataByteSize != list.mBuffers.mDataByteSize {
            self.system.violate("A packet is not as long as its buffer")
        }
        let bytes = [UInt8](
            UnsafeRawBufferPointer(start: data, count: Int(description.mDataByteSize))
        )
        let outcome = self.system.status(bytes)
        guard outcome == noErr else { return outcome }
        self.append(bytes.first ?? 0)
        return noErr
    }

    private func append(_ byte: UInt8) {
        for _ in 0..<self.source.mFramesPerPacket {
            for channel in 0..<self.source.mChannelsPerFrame {
                self.samples.append(Float(byte) / 256 + Float(channel))
            }
        }
        let dropped = min(self.toDrop, self.samples.count)
        self.samples.removeFirst(dropped)
        self.toDrop -= dropped
    }
}
