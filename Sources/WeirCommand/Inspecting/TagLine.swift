// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// A tag, as it is printed.
struct TagLine: Encodable {
    struct Field: Encodable {
        var name: String
        var values: [String]
    }

    struct Picture: Encodable {
        var kind: Int
        var mediaType: String
        var description: String
        var bytes: Int
        var md5: String
    }

    struct Chapter: Encodable {
        var startMilliseconds: Int64
        var endMilliseconds: Int64?
        var title: String
    }

    var kind: String
    var offset: Int64
    var size: Int64
    var fields: [Field]
    var pictures: [Picture]
    var chapters: [Chapter]

    init(_ tags: AudioTags) {
        self.kind = tags.kind.rawValue
        self.offset = tags.range.lowerBound
        self.size = tags.range.upperBound - tags.range.lowerBound
        self.fields = tags.fields.map { Field(name: $0.name, values: $0.values) }
        self.pictures = tags.pictures.map {
            Picture(
                kind: $0.kind,
                mediaType: $0.mediaType,
                description: $0.description,
                bytes: $0.data.count,
                md5: PacketLine.digest($0.data)
            )
        }
        self.chapters = tags.chapters.map {
            Chapter(
                startMilliseconds: $0.startMilliseconds,
                endMilliseconds: $0.endMilliseconds,
                title: $0.title
            )
        }
    }
}
