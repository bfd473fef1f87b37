// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the input as tags of every kind.
enum TagTrial {
    static func run(_ bytes: [UInt8]) {
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        window.finish()
        var reader = TagReader(limits: AudioStreamLimits(tag: 1 << 14), length: nil)
        var count = 0
        while case .found(let event) = reader.read(&window) {
            count += 1
            precondition(count <= bytes.count + 1, "more tags than bytes")
            guard case .tags(let tags) = event else { continue }
            _ = [tags.title, tags.artist, tags.album]
        }
        ByteMemory(bytes).withView { view in
            let range: Range<Int64> = 0..<Int64(bytes.count)
            _ = AudioTags.vorbisComment(view, range: range)
            _ = AudioTags.fields(ofInfoList: view, isBig: bytes.count % 2 == 1)
            _ = AudioPicture(flacBlock: view)
        }
        _ = EncoderGap(String(decoding: bytes, as: UTF8.self))
    }
}
