// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// The type that a file name's extension stands for.
    ///
    /// - Parameter fileExtension: without its dot, in upper or lower case: `mp3`, `M4A`.
    public init?(fileExtension: String) {
        guard fileExtension.utf8.count <= 8, let type = Self.byExtension[fileExtension.lowercased()]
        else { return nil }
        self = type
    }

    /// The extension that a file of this type should have, without a dot.
    public var preferredFileExtension: String? {
        Self.preferredExtensions[self.canonical]
    }

    /// Extensions of each type, the preferred one first.
    private static let extensions: [(type: MediaType, names: [String])] = [
        (.mpegAudio, ["mp3", "mp2", "mp1", "mpa", "mpga", "m2a"]),
        (.aac, ["aac", "adts"]),
        (.mp4Audio, ["m4a", "m4b", "m4p", "m4r", "f4a", "f4b"]),
        (.oggAudio, ["ogg", "oga", "opus", "spx"]),
        (.flac, ["flac", "fla"]),
        (.wav, ["wav", "wave", "bwf", "rf64"]),
        (.aiff, ["aiff", "aif", "aifc", "afc"]),
        (.caf, ["caf"]),
        (.webMAudio, ["weba"]),
        (.matroskaAudio, ["mka"]),
        (.wma, ["wma"]),
        (.amr, ["amr"]),
        (.amrWideBand, ["awb"]),
        (.monkeysAudio, ["ape"]),
        (.wavPack, ["wv"]),
        (.musepack, ["mpc", "mp+", "mpp"]),
        (.trueAudio, ["tta"]),
        (.dsf, ["dsf"]),
        (.dsdiff, ["dff"]),
        (.ac3, ["ac3"]),
        (.enhancedAC3, ["eac3", "ec3"]),
        (.dts, ["dts"]),
        (.basicAudio, ["au", "snd"]),
        (.midi, ["mid", "midi", "kar", "rmi"]),
        (.mp4Video, ["mp4", "m4v", "mp4v", "f4v", "cmfv"]),
        (.quickTime, ["mov", "qt"]),
        (.threeGPPVideo, ["3gp", "3gpp"]),
        (.threeGPP2Video, ["3g2", "3gp2"]),
        (.oggVideo, ["ogv", "ogm"]),
        (.ogg, ["ogx"]),
        (.webMVideo, ["webm"]),
        (.matroskaVideo, ["mkv", "mk3d"]),
        (.avi, ["avi", "divx"]),
        (.flashVideo, ["flv"]),
        (.mpegTransportStream, ["ts", "m2ts", "mts", "m2t", "tsv"]),
        (.mpegVideo, ["mpg", "mpeg", "mpe", "m1v", "m2v", "mpv", "vob"]),
        (.asf, ["asf"]),
        (.wmv, ["wmv"]),
        (.realMedia, ["rm", "rmvb", "ra"]),
        (.hlsPlaylist, ["m3u8"]),
        (.m3uPlaylist, ["m3u"]),
        (.plsPlaylist, ["pls"]),
        (.xspfPlaylist, ["xspf"]),
        (.dashManifest, ["mpd"]),
        (.png, ["png"]),
        (.jpeg, ["jpg", "jpeg"]),
        (.gif, ["gif"]),
        (.webP, ["webp"]),
        (.heic, ["heic", "heif"]),
        (.avif, ["avif"]),
        (.html, ["html", "htm", "xhtml"]),
        (.xml, ["xml"]),
        (.json, ["json"]),
        (.plainText, ["txt"]),
        (.webVTT, ["vtt"]),
        (.subRip, ["srt"]),
        (.pdf, ["pdf"]),
        (.zip, ["zip"]),
        (.gzip, ["gz"]),
    ]

    private static let byExtension: [String: MediaType] = {
        var table: [String: MediaType] = [:]
        for (type, names) in Self.extensions {
            for name in names { table[name] = type }
        }
        return table
    }()

    private static let preferredExtensions: [MediaType: String] = {
        var table: [MediaType: String] = [:]
        for (type, names) in Self.extensions { table[type] = names.first }
        table[.threeGPPAudio] = "3gp"
        return table
    }()
}
