// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

extension RecordingFile {
    /// What the names of files of a kind end with.
    static func fileExtension(of container: AudioContainer?, _ codec: AudioCodec?) -> String {
        switch (container, codec) {
        case (.mpegAudio, .mpegLayer(1)): "mp1"
        case (.mpegAudio, .mpegLayer(2)): "mp2"
        case (.mpegAudio, _): "mp3"
        case (.adts, _), (.loas, _): "aac"
        case (.ogg, .opus): "opus"
        case (.ogg, .flac): "oga"
        case (.ogg, _): "ogg"
        case (.flac, _): "flac"
        case (.wave, _): "wav"
        case (.mp4, _): "m4a"
        case (nil, _): "audio"
        }
    }
}
