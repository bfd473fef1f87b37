// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of ADTS that inspects packets.
///
/// A packet whose first byte is `S` has the SBR data of HE-AAC. A packet whose first byte is `P`
/// also has the data of parametric stereo.
final class StubFileStream {
    private let system: StubAudioSystem
    private var seen = 0
    private(set) var formats: [AudioFormatListItem] = []

    init(_ system: StubAudioSystem) { self.system = system }

    static func of(_ reference: AudioFileStreamID) -> StubFileStream {
        Unmanaged<StubFileStream>.fromOpaque(UnsafeRawPointer(reference)).takeUnretainedValue()
    }

    var isReady: Bool { self.seen >= self.system.framesToSee }

    func parse(_ bytes: [UInt8]) -> OSStatus {
        guard bytes.count > 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else {
            return kAudioConverterErr_UnspecifiedError
        }
        let length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
        if length != bytes.count { self.system.violate("A frame is not as long as it says") }
        self.seen += 1
        guard self.isReady else { return noErr }
        let first = bytes[bytes[1] & 1 == 1 ? 7 : 9]
        let names: [UInt32] =
            switch first {
            case UInt8(ascii: "S"): [kAudioFormatMPEG4AAC_HE, stubCode("aac ")]
            case UInt8(ascii: "P"):
                [kAudioFormatMPEG4AAC_HE_V2, kAudioFormatMPEG4AAC_HE, stubCode("aac ")]
            default: [stubCode("aac ")]
            }
        self.formats = names.map { name in
            var item = AudioFormatListItem()
            item.mASBD.mFormatID = name
            return item
        }
        return noErr
    }
}
