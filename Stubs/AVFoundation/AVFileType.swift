// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The uniform type identifier of a file format.
///
/// <https://developer.apple.com/documentation/avfoundation/avfiletype>
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    /// The identifier.
    public let rawValue: String

    /// A type by its identifier.
    ///
    /// - Parameter rawValue: The identifier.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A type by its identifier.
    ///
    /// - Parameter rawValue: The identifier.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Dolby AC-3.
    public static let ac3 = AVFileType("public.ac3-audio")
    /// AIFF with compression.
    public static let aifc = AVFileType("public.aifc-audio")
    /// AIFF.
    public static let aiff = AVFileType("public.aiff-audio")
    /// Adaptive multi-rate speech.
    public static let amr = AVFileType("org.3gpp.adaptive-multi-rate-audio")
    /// Sun audio.
    public static let au = AVFileType("public.au-audio")
    /// Core Audio.
    public static let caf = AVFileType("com.apple.coreaudio-format")
    /// Enhanced AC-3.
    public static let eac3 = AVFileType("public.enhanced-ac3-audio")
    /// MPEG-4 audio in Apple's variant.
    public static let m4a = AVFileType("com.apple.m4a-audio")
    /// MPEG-4 video in Apple's variant.
    public static let m4v = AVFileType("com.apple.m4v-video")
    /// 3GPP.
    public static let mobile3GPP = AVFileType("public.3gpp")
    /// 3GPP2.
    public static let mobile3GPP2 = AVFileType("public.3gpp2")
    /// QuickTime.
    public static let mov = AVFileType("com.apple.quicktime-movie")
    /// MPEG audio, layer III.
    public static let mp3 = AVFileType("public.mp3")
    /// MPEG-4.
    public static let mp4 = AVFileType("public.mpeg-4")
    /// RIFF WAVE.
    public static let wav = AVFileType("com.microsoft.waveform-audio")
}
