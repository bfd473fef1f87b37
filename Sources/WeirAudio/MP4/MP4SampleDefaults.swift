// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What samples of fragments have where nothing else is said (`trex` and `tfhd`, ISO 14496-12 §8.8.3 and §8.8.7).
struct MP4SampleDefaults: Hashable, Sendable {
    /// How long a sample lasts, in units of the track.
    var duration: UInt32 = 0
    /// How many bytes it has.
    var size: UInt32 = 0
    /// Its flags: 0x10000 says that decoding cannot start with it.
    var flags: UInt32 = 0

    /// Whether flags say that decoding may start with a sample.
    static func isSync(_ flags: UInt32) -> Bool { flags & 0x1_0000 == 0 }
}
