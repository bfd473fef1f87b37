// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirLibav

/// The samples of a decoded frame where the library keeps them: valid while the frame is.
///
/// Integers of fewer bits than their type lie at its upper end, so that one factor serves all.
struct LibavPlanes {
    private enum Kind {
        case unsigned8
        case signed16
        case signed32
        case float32
        case float64
    }

    private let kind: Kind
    private let isPlanar: Bool
    private let data: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

    /// The samples of a frame; `nil` if they are of no known kind, or none.
    init?(_ frame: UnsafeMutablePointer<AVFrame>) {
        guard let data = frame.pointee.extended_data, data[0] != nil else { return nil }
        self.data = data
        let format = AVSampleFormat(rawValue: frame.pointee.format)
        switch format {
        case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: self.kind = .unsigned8
        case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: self.kind = .signed16
        case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P: self.kind = .signed32
        case AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP: self.kind = .float32
        case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP: self.kind = .float64
        default: return nil
        }
        self.isPlanar = av_sample_fmt_is_planar(format) != 0
        let planeCount = self.isPlanar ? Int(frame.pointee.ch_layout.nb_channels) : 1
        guard (0..<planeCount).allSatisfy({ data[$0] != nil }) else { return nil }
    }

    /// Whether the samples are integers, which codecs without loss give.
    var isInteger: Bool {
        switch self.kind {
        case .unsigned8, .signed16, .signed32: true
        case .float32, .float64: false
        }
    }

    /// How many bits a sample has in memory.
    var bits: Int {
        switch self.kind {
        case .unsigned8: 8
        case .signed16: 16
        case .signed32, .float32: 32
        case .float64: 64
        }
    }

    /// Writes the samples frame by frame, full scale being 1.
    ///
    /// - Parameters:
    ///   - target: room for as many samples.
    ///   - frameCount: how many frames the planes hold.
    ///   - channelCount: how many channels they are of.
    func interleave(
        into target: UnsafeMutablePointer<Float>,
        frameCount: Int,
        channelCount: Int
    ) {
        switch self.kind {
        case .unsigned8:
            self.copy(target, frameCount, channelCount, UInt8.self) { (Float($0) - 128) * 0x1p-7 }
        case .signed16:
            self.copy(target, frameCount, channelCount, Int16.self) { Float($0) * 0x1p-15 }
        case .signed32:
            self.copy(target, frameCount, channelCount, Int32.self) { Float($0) * 0x1p-31 }
        case .float32: self.copy(target, frameCount, channelCount, Float.self) { $0 }
        case .float64: self.copy(target, frameCount, channelCount, Double.self) { Float($0) }
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
        self.data[index].map { UnsafeRawPointer($0).assumingMemoryBound(to: Sample.self) }
    }
}
#endif
