// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The name of each format in this module: the registered name, or the name that players expect if none is
// registered.

extension MediaType {
    /// MPEG audio, layers I to III: MP3.
    public static let mpegAudio = MediaType(essence: "audio/mpeg")
    /// AAC in ADTS frames.
    public static let aac = MediaType(essence: "audio/aac")
    /// Sound in an ISO base media file: M4A, M4B.
    public static let mp4Audio = MediaType(essence: "audio/mp4")
    /// Sound in Ogg: Vorbis, Opus, FLAC, Speex.
    public static let oggAudio = MediaType(essence: "audio/ogg")
    /// Native FLAC.
    public static let flac = MediaType(essence: "audio/flac")
    /// RIFF WAVE.
    public static let wav = MediaType(essence: "audio/wav")
    /// AIFF and AIFF-C.
    public static let aiff = MediaType(essence: "audio/aiff")
    /// Apple's Core Audio Format.
    public static let caf = MediaType(essence: "audio/x-caf")
    /// Sound in WebM.
    public static let webMAudio = MediaType(essence: "audio/webm")
    /// Sound in Matroska: MKA.
    public static let matroskaAudio = MediaType(essence: "audio/x-matroska")
    /// Windows Media Audio.
    public static let wma = MediaType(essence: "audio/x-ms-wma")
    /// Adaptive multi-rate speech, narrow band.
    public static let amr = MediaType(essence: "audio/amr")
    /// Adaptive multi-rate speech, wide band.
    public static let amrWideBand = MediaType(essence: "audio/amr-wb")
    /// Monkey's Audio.
    public static let monkeysAudio = MediaType(essence: "audio/x-ape")
    /// WavPack.
    public static let wavPack = MediaType(essence: "audio/x-wavpack")
    /// Musepack.
    public static let musepack = MediaType(essence: "audio/x-musepack")
    /// True Audio.
    public static let trueAudio = MediaType(essence: "audio/x-tta")
    /// Direct Stream Digital in Sony's file format.
    public static let dsf = MediaType(essence: "audio/x-dsf")
    /// Direct Stream Digital in Philips' file format.
    public static let dsdiff = MediaType(essence: "audio/x-dff")
    /// Dolby Digital.
    public static let ac3 = MediaType(essence: "audio/ac3")
    /// Dolby Digital Plus.
    public static let enhancedAC3 = MediaType(essence: "audio/eac3")
    /// DTS.
    public static let dts = MediaType(essence: "audio/vnd.dts")
    /// Sun's and NeXT's audio file.
    public static let basicAudio = MediaType(essence: "audio/basic")
    /// A standard MIDI file.
    public static let midi = MediaType(essence: "audio/midi")
    /// Sound of a mobile telephone, in an ISO base media file.
    public static let threeGPPAudio = MediaType(essence: "audio/3gpp")

    /// An ISO base media file: MP4.
    public static let mp4Video = MediaType(essence: "video/mp4")
    /// QuickTime.
    public static let quickTime = MediaType(essence: "video/quicktime")
    /// Video of a mobile telephone, in an ISO base media file.
    public static let threeGPPVideo = MediaType(essence: "video/3gpp")
    /// Video of a mobile telephone of the 3GPP2 family, in an ISO base media file.
    public static let threeGPP2Video = MediaType(essence: "video/3gpp2")
    /// Video in Ogg: Theora.
    public static let oggVideo = MediaType(essence: "video/ogg")
    /// Ogg with any contents.
    public static let ogg = MediaType(essence: "application/ogg")
    /// WebM.
    public static let webMVideo = MediaType(essence: "video/webm")
    /// Matroska: MKV.
    public static let matroskaVideo = MediaType(essence: "video/x-matroska")
    /// Audio Video Interleave.
    public static let avi = MediaType(essence: "video/x-msvideo")
    /// Flash Video.
    public static let flashVideo = MediaType(essence: "video/x-flv")
    /// An MPEG transport stream.
    public static let mpegTransportStream = MediaType(essence: "video/mp2t")
    /// An MPEG program stream or an MPEG video stream.
    public static let mpegVideo = MediaType(essence: "video/mpeg")
    /// Microsoft's Advanced Systems Format with any contents.
    public static let asf = MediaType(essence: "video/x-ms-asf")
    /// Windows Media Video.
    public static let wmv = MediaType(essence: "video/x-ms-wmv")
    /// RealMedia.
    public static let realMedia = MediaType(essence: "application/vnd.rn-realmedia")

    /// A playlist of HTTP Live Streaming.
    public static let hlsPlaylist = MediaType(essence: "application/vnd.apple.mpegurl")
    /// A plain M3U playlist.
    public static let m3uPlaylist = MediaType(essence: "audio/mpegurl")
    /// A PLS playlist.
    public static let plsPlaylist = MediaType(essence: "audio/x-scpls")
    /// An XSPF playlist.
    public static let xspfPlaylist = MediaType(essence: "application/xspf+xml")
    /// A manifest of Dynamic Adaptive Streaming over HTTP.
    public static let dashManifest = MediaType(essence: "application/dash+xml")

    /// A PNG image.
    public static let png = MediaType(essence: "image/png")
    /// A JPEG image.
    public static let jpeg = MediaType(essence: "image/jpeg")
    /// A GIF image.
    public static let gif = MediaType(essence: "image/gif")
    /// A WebP image.
    public static let webP = MediaType(essence: "image/webp")
    /// An image in High Efficiency Image File Format.
    public static let heic = MediaType(essence: "image/heic")
    /// An image coded with AV1.
    public static let avif = MediaType(essence: "image/avif")
    /// An HTML page.
    public static let html = MediaType(essence: "text/html")
    /// An XML document of an unknown kind.
    public static let xml = MediaType(essence: "application/xml")
    /// A JSON value.
    public static let json = MediaType(essence: "application/json")
    /// Text of an unknown kind.
    public static let plainText = MediaType(essence: "text/plain")
    /// WebVTT subtitles.
    public static let webVTT = MediaType(essence: "text/vtt")
    /// SubRip subtitles.
    public static let subRip = MediaType(essence: "application/x-subrip")
    /// A PDF document.
    public static let pdf = MediaType(essence: "application/pdf")
    /// A ZIP archive.
    public static let zip = MediaType(essence: "application/zip")
    /// Data packed by gzip.
    public static let gzip = MediaType(essence: "application/gzip")
    /// Bytes without a stated type.
    public static let octetStream = MediaType(essence: "application/octet-stream")

    /// The name that this module uses for the format: `audio/mpeg` for `audio/mp3`.
    ///
    /// A type without other known names is its own canonical type.
    public var canonical: MediaType {
        Self.aliases[self.essence] ?? self
    }

    private static let aliases: [String: MediaType] = {
        let names: [(MediaType, [String])] = [
            (
                .mpegAudio,
                ["audio/mp3", "audio/mpeg3", "audio/x-mp3", "audio/x-mpeg", "audio/x-mpeg-3"]
            ),
            (.mpegAudio, ["audio/mpg", "audio/x-mpg", "audio/mpa", "audio/mp2", "audio/x-mp2"]),
            (.aac, ["audio/aacp", "audio/x-aac", "audio/x-hx-aac-adts", "audio/vnd.dlna.adts"]),
            (.mp4Audio, ["audio/m4a", "audio/x-m4a", "audio/m4b", "audio/x-m4b", "audio/x-mp4"]),
            (.oggAudio, ["audio/x-ogg", "audio/opus", "audio/vorbis", "audio/x-vorbis+ogg"]),
            (
                .oggAudio,
                ["audio/x-vorbis", "audio/x-opus+ogg", "audio/x-speex+ogg", "audio/speex"]
            ),
            (.flac, ["audio/x-flac"]),
            (.wav, ["audio/wave", "audio/x-wav", "audio/vnd.wave", "audio/x-pn-wav"]),
            (.aiff, ["audio/x-aiff", "audio/aif", "audio/x-aifc"]),
            (.caf, ["audio/caf"]),
            (.matroskaAudio, ["audio/matroska"]),
            (.wma, ["audio/wma"]),
            (.monkeysAudio, ["audio/ape", "audio/x-monkeys-audio"]),
            (.wavPack, ["audio/wavpack"]),
            (.musepack, ["audio/musepack", "audio/x-mpc"]),
            (.trueAudio, ["audio/tta"]),
            (.dsf, ["audio/dsf", "audio/x-dsd"]),
            (.dsdiff, ["audio/dff"]),
            (.ac3, ["audio/x-ac3"]),
            (.enhancedAC3, ["audio/x-eac3"]),
            (.dts, ["audio/x-dts"]),
            (.basicAudio, ["audio/x-au", "audio/au"]),
            (.midi, ["audio/x-midi", "audio/mid", "application/x-midi"]),
            (.mp4Video, ["video/x-m4v", "video/m4v", "video/x-mp4", "application/mp4"]),
            (.quickTime, ["video/x-quicktime", "video/mov"]),
            (.threeGPPVideo, ["video/3gp"]),
            (.threeGPP2Video, ["video/3gpp-2", "video/3g2"]),
            (.oggVideo, ["video/x-ogg", "video/x-theora+ogg"]),
            (.ogg, ["application/x-ogg"]),
            (.matroskaVideo, ["video/matroska", "video/mkv", "application/x-matroska"]),
            (.avi, ["video/avi", "video/msvideo", "video/vnd.avi"]),
            (.flashVideo, ["video/flv"]),
            (.mpegTransportStream, ["video/mpeg2-ts", "video/x-mpegts", "video/mpegts"]),
            (.mpegVideo, ["video/mpg", "video/x-mpeg", "video/mp2p"]),
            (.asf, ["video/asf", "application/vnd.ms-asf"]),
            (.wmv, ["video/wmv"]),
            (.hlsPlaylist, ["application/x-mpegurl", "application/mpegurl"]),
            (.hlsPlaylist, ["audio/vnd.apple.mpegurl", "video/vnd.apple.mpegurl"]),
            (.m3uPlaylist, ["audio/x-mpegurl"]),
            (.plsPlaylist, ["audio/scpls", "application/pls+xml"]),
            (.html, ["application/xhtml+xml"]),
            (.xml, ["text/xml"]),
            (.json, ["text/json"]),
            (.jpeg, ["image/jpg", "image/pjpeg"]),
            (.zip, ["application/x-zip-compressed"]),
            (.gzip, ["application/x-gzip"]),
        ]
        var table: [String: MediaType] = [:]
        for (type, others) in names {
            for other in others { table[other] = type }
        }
        return table
    }()
}
