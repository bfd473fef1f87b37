// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A radio station's description in the header of its response: the `icy-…` and `ice-…` fields.
public struct ICYHeaders: Hashable, Sendable {
    /// The station's name.
    public private(set) var name: String?
    /// The kind of music that the station plays.
    public private(set) var genre: String?
    /// The station's home page.
    public private(set) var url: String?
    /// The station's own description.
    public private(set) var description: String?
    /// The notices for listeners, in order.
    public private(set) var notices: [String] = []
    /// Whether the station wants to be listed.
    public private(set) var isPublic: Bool?
    /// Bits a second; if the field is a list, its first value.
    public private(set) var bitsPerSecond: Int?
    /// Samples a second.
    public private(set) var sampleRate: Int?
    /// How many channels the stream has.
    public private(set) var channelCount: Int?
    /// How many bytes of audio are between the metadata blocks; `nil` if there are no blocks.
    public private(set) var metadataInterval: Int?

    /// Reads the fields of a header.
    ///
    /// - Parameter fields: names, in any case, and values, with or without white space around them.
    ///   Other fields are ignored. `icy-` has precedence over `ice-` and `x-audiocast-`, and an
    ///   earlier field over a later field of the same name. Of the values in `ice-audio-info` and
    ///   `icy-audio-info`, the last one counts.
    public init(_ fields: some Sequence<(String, String)>) {
        var icy: [String: String] = [:]
        var others: [String: String] = [:]
        var notices: [(String, String)] = []
        for (name, value) in fields {
            let name = String(decoding: name.utf8.map(AudioTags.lowercased), as: UTF8.self)
            let value = Self.trimmed(value[...])
            guard !value.isEmpty else { continue }
            if name.hasPrefix("icy-notice") {
                if notices.count < 16 { notices.append((name, value)) }
            } else if name == "ice-audio-info" || name == "icy-audio-info" {
                self.readAudioInfo(value)
            } else if name.hasPrefix("icy-") {
                Self.store(value, String(name.dropFirst(4)), in: &icy)
            } else if name.hasPrefix("ice-") {
                Self.store(value, String(name.dropFirst(4)), in: &others)
            } else if name.hasPrefix("x-audiocast-") {
                Self.store(value, String(name.dropFirst(12)), in: &others)
            }
        }
        func text(_ key: String) -> String? { icy[key] ?? others[key] }
        self.name = text("name")
        self.genre = text("genre")
        self.url = text("url")
        self.description = text("description")
        self.notices = notices.sorted { $0.0 < $1.0 }.map(\.1)
        self.isPublic = (text("pub") ?? text("public")).map { $0 != "0" }
        let kilobits = (text("br") ?? text("bitrate")).flatMap(Self.number)
        self.bitsPerSecond = kilobits.map { $0 * 1000 } ?? self.bitsPerSecond
        self.sampleRate = text("sr").flatMap(Self.number) ?? self.sampleRate
        self.metadataInterval = text("metaint").flatMap(Self.number)
    }

    /// Reads `ice-samplerate=44100;ice-bitrate=128;ice-channels=2`, with or without the `ice-`.
    private mutating func readAudioInfo(_ value: String) {
        for part in value.split(separator: ";", maxSplits: 32) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let number = Self.number(Self.trimmed(pair[1])) else { continue }
            switch Self.trimmed(pair[0]) {
            case "ice-samplerate", "samplerate": self.sampleRate = number
            case "ice-bitrate", "bitrate": self.bitsPerSecond = number * 1000
            case "ice-channels", "channels": self.channelCount = number
            default: break
            }
        }
    }

    private static func store(_ value: String, _ key: String, in values: inout [String: String]) {
        if values[key] == nil { values[key] = value }
    }

    /// The positive number at the start of a text, of at most nine digits: 128 for `128,128`.
    private static func number(_ text: String) -> Int? {
        let digits = text.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard digits.count <= 9, let number = Int(String(Substring(digits))), number > 0 else {
            return nil
        }
        return number
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(text[...last].drop(while: isSpace))
    }
}
