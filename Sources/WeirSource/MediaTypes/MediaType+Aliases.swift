// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// The name that this module uses for the format: `audio/mpeg` for `audio/mp3`.
    ///
    /// A type of which no other name is known is its own canonical type.
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
