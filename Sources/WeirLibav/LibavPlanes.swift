// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
import WeirPlayback

/// The samples of a decoded frame in the library's memory, valid until the decoder's next call.
///
/// Integers with fewer bits than their type are left-aligned, so that one factor fits all.
struct LibavPlanes {
    private let sound: weir_av_sound
    private let planes: UnsafePointer<UnsafeMutablePointer<UInt8>?>

    /// The samples of a frame; `nil` if their kind is unknown, or if a plane is missing.
    init?(_ sound: weir_av_sound) {
        guard let planes = sound.planes, planes[0] != nil, sound.sample != WEIR_AV_UNKNOWN else {
            return nil
        }
        self.sound = sound
        self.planes = UnsafePointer(planes)
        let planeCount = sound.is_planar != 0 ? Int(sound.channel_count) : 1
        guard (0..<planeCount).allSatisfy({ planes[$0] != nil }) else { return nil }
    }

    private var isPlanar: Bool { self.sound.is_planar != 0 }

    /// Whether the samples are integers, as from lossless codecs.
    var isInteger: Bool {
        switch self.sound.sample {
        case WEIR_AV_UNSIGNED8, WEIR_AV_SIGNED16, WEIR_AV_SIGNED32: true
        default: false
        }
    }

    /// How many bits a sample has in memory.
    var bits: Int {
        switch self.sound.sample {
        case WEIR_AV_UNSIGNED8: 8
        case WEIR_AV_SIGNED16: 16
        case WEIR_AV_FLOAT64: 64
        default: 32
        }
    }

    /// Writes the samples frame by frame, with 1 as full scale.
    ///
    /// - Parameters:
    ///   - target: room for all samples.
    ///   - frameCount: how many frames the planes hold.
    ///   - channelCount: how many channels the samples have.
    func interleave(
        into target: UnsafeMutablePointer<Float>,
        frameCount: Int,
        channelCount: Int
    ) {
        switch self.sound.sample {
        case WEIR_AV_UNSIGNED8:
            self.copy(target, frameCount, channelCount, UInt8.self) { (Float($0) - 128) * 0x1p-7 }
        case WEIR_AV_SIGNED16:
            self.copy(target, frameCount, channelCount, Int16.self) { Float($0) * 0x1p-15 }
        case WEIR_AV_SIGNED32:
            self.copy(target, frameCount, channelCount, Int32.self) { Float($0) * 0x1p-31 }
        case WEIR_AV_FLOAT32:
            self.copy(target, frameCount, channelCount, Float.self) { $0.orSilence }
        case WEIR_AV_FLOAT64:
            self.copy(target, frameCount, channelCount, Double.self) { Float($0).orSilence }
        default: break
        }
    }

    @inline(__always)
    private func copy<Sample: BitwiseCopyable>(
        _ target: UnsafeMutablePointer<Float>,
        _ frameCount: Int,
        _ channelCount: Int,
        _ type: Sample.Type,
        _ value: (Sample) -> Float
    ) {
        if !self.isPlanar || channelCount == 1 {
            guard let plane = self.plane(0, Sample.self) else { return }
            for index in 0..<frameCount &* channelCount {
                target[index] = value(plane[index])
            }
        } else if channelCount == 2 {
            guard let left = self.plane(0, Sample.self), let right = self.plane(1, Sample.self)
            else { return }
            for index in 0..<frameCount {
                target[2 &* index] = value(left[index])
                target[2 &* index &+ 1] = value(right[index])
            }
        } else {
            for channel in 0..<channelCount {
                guard let plane = self.plane(channel, Sample.self) else { return }
                for index in 0..<frameCount {
                    target[index &* channelCount &+ channel] = value(plane[index])
                }
            }
        }
    }

    private func plane<Sample>(_ index: Int, _ type: Sample.Type) -> UnsafePointer<Sample>? {
        self.planes[index].map { UnsafeRawPointer($0).assumingMemoryBound(to: Sample.self) }
    }
}
#endif
